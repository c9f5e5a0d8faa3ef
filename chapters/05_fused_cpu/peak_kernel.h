// The two loops that show what a machine can do, compiled once per instruction set. Plain data only, as in
// common/tensor/matmul_kernel.h.
#pragma once

#include "common/base/types.h"

namespace llm {

struct PeakKernels {
  float (*multiply_add)(Index rounds);             // kMultiplyAdds * lanes multiply-adds a round
  float (*sum)(const float* values, Index count);  // reads all values once; count a multiple of 1,024
  Index lanes;                                     // floats in a vector register
};

inline constexpr Index kMultiplyAdds = 12;  // independent ones: more than two pipes of latency 5 need

#define LLM_DECLARE_PEAK(isa)            \
  namespace isa {                        \
  extern const PeakKernels kPeakKernels; \
  }
LLM_DECLARE_PEAK(baseline)
LLM_DECLARE_PEAK(avx2)
LLM_DECLARE_PEAK(avx512)
#undef LLM_DECLARE_PEAK

}  // namespace llm
