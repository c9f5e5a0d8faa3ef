// What matmul.cpp hands to the kernels, which are compiled once per instruction set. Plain data only: code
// of a shared header, compiled for AVX-512 here and kept by the linker for everybody, would crash elsewhere.
#pragma once

#include "common/base/types.h"

namespace llm {

struct MatrixIn {
  const float* data;
  Index row_stride;
  Index column_stride;
};

// N rows of x times M rows of weight, K long; out's columns are neighbours.
struct MatmulPanel {
  MatrixIn x;       // [N, K], column_stride 1
  MatrixIn weight;  // [M, K], one of the strides 1
  float* out;       // [N, M]
  Index out_row_stride;
  Index N, M, K;
};

using MatmulKernel = void (*)(const MatmulPanel&);

// few: reads weights once, straight from memory; needs weight.column_stride 1. Every output is the same sum
// in the same order however the work is cut. many: Eigen's product, best from about 64 rows on.
#define LLM_DECLARE_MATMUL(isa)                    \
  namespace isa {                                  \
  void matmul_few_rows(const MatmulPanel& panel);  \
  void matmul_many_rows(const MatmulPanel& panel); \
  }
LLM_DECLARE_MATMUL(baseline)
LLM_DECLARE_MATMUL(avx2)
LLM_DECLARE_MATMUL(avx512)
#undef LLM_DECLARE_MATMUL

}  // namespace llm
