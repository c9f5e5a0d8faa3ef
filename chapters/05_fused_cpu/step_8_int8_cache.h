// Step 8: attention straight on the codes of an INT8 cache, which is a quarter of the bytes to read.
#pragma once

#include "chapters/05_fused_cpu/step_7_prefill.h"

namespace llm {

class Int8CacheAttention : public PackedPrefill {
 public:
  using PackedPrefill::PackedPrefill;

 protected:
  bool reads_in_place(const KvView& view, Index head_dim) const override;
};

}  // namespace llm
