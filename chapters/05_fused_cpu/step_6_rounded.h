// Step 6: with --compute fast x is rounded, and the products are of what the instruction set multiplies best:
// whole numbers for block-quantized weights (Q8_0, Q4_0, Q4_1, Q4_K, Q6_K), bfloat16 for BF16 weights.
#pragma once

#include "chapters/05_fused_cpu/step_5_attention.h"

namespace llm {

// Whether these kernels have a product of rounded numbers for weights of this format.
bool has_rounded_product(const Kernels& kernels, DType dtype);

class RoundedProducts : public OnlineAttention {
 public:
  using OnlineAttention::OnlineAttention;

  bool rounds(const Weight& weight) const override {
    return compute() == Compute::kFast && has_rounded_product(kernels(), weight.dtype);
  }

 protected:
  ProductInput prepare(View<const float, 2> x, std::span<const Weight* const> weights) override;
  Product product_with(const Weight& weight) const override;

  // Whether a product with this weight reads x as codes, or as bfloat16.
  bool by_codes(const Weight& weight) const;
  bool by_bf16(const Weight& weight) const;

 private:
  Tensor<CodeBlock, 1> codes_;
  Tensor<std::uint16_t, 1> bf16_;
};

}  // namespace llm
