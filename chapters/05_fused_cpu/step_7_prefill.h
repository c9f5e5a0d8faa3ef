// Step 7: many tokens at once (a prompt). Each panel of weights is unpacked to float32 once, x is packed in
// the order in which it is read, and the sums of a tile stay in registers.
#pragma once

#include "chapters/05_fused_cpu/step_6_rounded.h"

namespace llm {

class PackedPrefill : public RoundedProducts {
 public:
  using RoundedProducts::RoundedProducts;

 protected:
  ProductInput prepare(View<const float, 2> x, std::span<const Weight* const> weights) override;

 private:
  Buffer packed_;
};

}  // namespace llm
