// Matrix products in float32.
#pragma once

#include "common/base/isa.h"
#include "common/tensor/view.h"

namespace llm {

// out = x weight^T: x [N, K], weight [M, K] (as checkpoints store it), out [N, M], which neither overlaps.
// The rows of x and out may be far apart (slices of columns); of weight either axis may be the one whose
// elements are neighbours, so that a transposed view gives x weight instead.
// A row of out has the same bits for any number of threads, and for N up to kMaxExactRows also whatever the
// other rows are. NaN and infinity spread as in the sums they enter. K may be 0: the result is 0.
// Errors: kShape if the shapes do not fit or elements that should be neighbours are not; kUnsupported for an
// instruction set that this machine lacks.
void matmul(View<const float, 2> x, View<const float, 2> weight, View<float, 2> out, Isa isa = active_isa());

inline constexpr Index kMaxExactRows = 64;

}  // namespace llm
