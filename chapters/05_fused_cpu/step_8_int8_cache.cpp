#include "chapters/05_fused_cpu/step_8_int8_cache.h"

#include <bit>

namespace llm {

bool Int8CacheAttention::reads_in_place(const KvView& view, Index head_dim) const {
  if (view.format != KvFormat::kInt8) return PackedPrefill::reads_in_place(view, head_dim);
  return head_dim % 32 == 0 && view.group_size % 32 == 0 &&
         std::has_single_bit(static_cast<std::uint64_t>(view.group_size));
}

}  // namespace llm
