// The block formats whose weights are multiplied as whole numbers with rounded rows of x.
#pragma once

#include "common/tensor/blocks.h"
#include "common/tensor/dtype.h"

namespace llm {

// Calls f.operator()<Block>() with the block of such a format. Returns whether it is one.
template <class F>
bool visit_code_format(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kQ8_0: f.template operator()<BlockQ8_0>(); return true;
    case DType::kQ4_0: f.template operator()<BlockQ4_0>(); return true;
    case DType::kQ4_1: f.template operator()<BlockQ4_1>(); return true;
    case DType::kQ4_K: f.template operator()<BlockQ4_K>(); return true;
    case DType::kQ6_K: f.template operator()<BlockQ6_K>(); return true;
    default: return false;
  }
}

inline bool is_code_format(DType dtype) {
  return visit_code_format(dtype, []<class Block>() {});
}

}  // namespace llm
