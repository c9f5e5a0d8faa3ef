#include "chapters/05_fused_cpu/step_7_prefill.h"

#include <algorithm>

namespace llm {
namespace {

// Up to so many rows the weights are read straight from memory, which is what takes the time then.
constexpr Index kFewRows = 24;

}  // namespace

ProductInput PackedPrefill::prepare(View<const float, 2> x, std::span<const Weight* const> weights) {
  ProductInput input = RoundedProducts::prepare(x, weights);
  const Index N = x.shape(0), K = x.shape(1);
  const bool all_rounded = std::ranges::all_of(
      weights, [&](const Weight* weight) { return by_codes(*weight) || by_bf16(*weight); });
  if (N <= kFewRows || all_rounded) return input;
  float* packed = packed_.matrix(1, packed_size(kernels(), N, K)).data();
  team().run((N + kernels().tile_rows - 1) / kernels().tile_rows,
             [&](Index tile, int) { pack_rows(kernels(), x, tile, packed); });
  input.rows.data = packed;
  input.rows.packed = true;
  return input;
}

}  // namespace llm
