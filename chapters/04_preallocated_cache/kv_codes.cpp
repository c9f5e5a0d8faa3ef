// The part of quantized_layer.h that writes codes.
#include <array>
#include <cassert>
#include <cstring>

#include "chapters/02_naive_loop/kv_rows.h"
#include "chapters/04_preallocated_cache/kv_quantize.h"
#include "chapters/04_preallocated_cache/quantized_layer.h"

namespace llm {
namespace {

Index code_bytes(KvFormat format, Index values) { return format == KvFormat::kInt8 ? values : values / 2; }
constexpr Index kScaleBytes = sizeof(float);

}  // namespace

KvCodes::KvCodes(const KvShape& shape, const QuantizedSizes& sizes, Index slots, KvMemory* memory)
    : shape_(shape), sizes_(sizes), slots_(slots), buffer_(memory_bytes(shape, sizes, slots), memory) {}

Index KvCodes::memory_bytes(const KvShape& shape, const QuantizedSizes& sizes, Index slots) {
  const Index values = shape.num_key_value_heads * shape.head_dim;  // of a token's keys
  return 2 * slots * (code_bytes(sizes.format, values) + values / sizes.group_size * kScaleBytes);
}

Index KvCodes::head_bytes() const { return code_bytes(sizes_.format, shape_.head_dim); }
Index KvCodes::head_scales() const { return shape_.head_dim / sizes_.group_size; }

float* KvCodes::scales(KvPart part) const {
  const Index size = shape_.num_key_value_heads * slots_ * head_scales();
  return reinterpret_cast<float*>(buffer_.data()) + (part == KvPart::kValues ? size : 0);
}

std::byte* KvCodes::codes(KvPart part) const {
  const Index tokens = shape_.num_key_value_heads * slots_;
  return buffer_.data() + 2 * tokens * head_scales() * kScaleBytes +
         (part == KvPart::kValues ? tokens * head_bytes() : 0);
}

void KvCodes::store(const KvBlock& from, Index count, Index slot, Buffer& scratch) {
  assert(count <= from.length && slot + count <= slots_);
  for (Index head = 0; head < shape_.num_key_value_heads; ++head) {
    store_head(kv_rows(from.keys, head, 0, count, shape_.head_dim, scratch), KvPart::kKeys, head, slot);
    store_head(kv_rows(from.values, head, 0, count, shape_.head_dim, scratch), KvPart::kValues, head, slot);
  }
}

// --8<-- [start:store_head]
// tokens: [count, Dh].
void KvCodes::store_head(View<const float, 2> tokens, KvPart part, Index head, Index slot) {
  const auto group = static_cast<std::size_t>(sizes_.group_size);
  const bool is_int8 = sizes_.format == KvFormat::kInt8;
  for (Index i = 0; i < tokens.shape(0); ++i) {
    const Index index = head * slots_ + slot + i;
    std::byte* to = codes(part) + index * head_bytes();
    float* scale = scales(part) + index * head_scales();
    for (Index g = 0; g < head_scales(); ++g) {
      std::array<std::int8_t, kLargestGroup> group_codes;
      const float* first = tokens[i].begin() + g * sizes_.group_size;
      scale[g] = quantize_group({first, group}, is_int8 ? 127 : 7, {group_codes.data(), group});
      if (is_int8) {
        std::memcpy(to + g * sizes_.group_size, group_codes.data(), group);
      } else {
        pack_int4({group_codes.data(), group}, to + g * sizes_.group_size / 2);
      }
    }
  }
}
// --8<-- [end:store_head]

void KvCodes::copy(const KvCodes& from, Index count) {
  assert(count <= slots_ && count <= from.slots_);
  const auto code_size = static_cast<std::size_t>(count * head_bytes());
  const auto scale_size = static_cast<std::size_t>(count * head_scales() * kScaleBytes);
  for (Index head = 0; head < shape_.num_key_value_heads && count > 0; ++head)
    for (const KvPart part : {KvPart::kKeys, KvPart::kValues}) {
      const Index to_slot = head * slots_, from_slot = head * from.slots_;
      std::memcpy(codes(part) + to_slot * head_bytes(), from.codes(part) + from_slot * head_bytes(),
                  code_size);
      std::memcpy(scales(part) + to_slot * head_scales(), from.scales(part) + from_slot * head_scales(),
                  scale_size);
    }
}

KvView KvCodes::view(KvPart part) const {
  KvView view;
  view.format = sizes_.format;
  view.data = codes(part);
  view.head_stride_bytes = slots_ * head_bytes();
  view.token_stride_bytes = head_bytes();
  view.scales = scales(part);
  view.group_size = sizes_.group_size;
  view.scale_head_stride = slots_ * head_scales();
  view.scale_token_stride = head_scales();
  return view;
}

KvBlock KvCodes::block(Index count) const {
  return {.keys = view(KvPart::kKeys), .values = view(KvPart::kValues), .first_position = 0, .length = count};
}

}  // namespace llm
