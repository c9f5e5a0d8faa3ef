// What each instruction set's files define; kernels.cpp makes the table of them.
#pragma once

#include "chapters/05_fused_cpu/kernels.h"

namespace llm {

#define LLM_DECLARE_KERNELS(isa)                           \
  namespace isa {                                          \
  extern const Index kProductTileRows;                     \
  void product(const ProductPanel& panel);                 \
  void attention_scores(const AttentionPanel& panel);      \
  void attention_values(const AttentionPanel& panel);      \
  SoftmaxPart exponentials(float* scores, Index count);    \
  void rms_norm(const RmsNorm& norm);                      \
  void swiglu(float* gate, const float* up, Index count);  \
  void quantize_x(const float* x, Index K, CodeBlock* to); \
  }
LLM_DECLARE_KERNELS(baseline)
LLM_DECLARE_KERNELS(avx2)
LLM_DECLARE_KERNELS(avx512)
LLM_DECLARE_KERNELS(neon)
#undef LLM_DECLARE_KERNELS

namespace baseline {
void product_codes(const ProductPanel& panel);
}
namespace avx2 {
void product_codes(const ProductPanel& panel);
}
namespace neon {
void product_codes(const ProductPanel& panel);
}
namespace avx512bf16 {
void product_codes(const ProductPanel& panel);
void product_bf16(const ProductPanel& panel);
}  // namespace avx512bf16

}  // namespace llm
