// Products of BF16 weights with rows of x that were rounded to BF16: two multiply-adds an instruction and
// lane, and no weight has to be converted. Compiled for AVX-512 with BF16.
#include <immintrin.h>

#include "chapters/05_fused_cpu/kernel_parts.h"

namespace llm::LLM_ISA {
namespace {

constexpr int kTileWeights = 4, kTileX = 6;
constexpr Index kStep = 32;  // values a register

inline __m512bh load_step(const std::uint16_t* from) { return (__m512bh)_mm512_loadu_si512(from); }
// Only the first `count` of 32 values; the others are 0.
inline __m512bh load_rest(const std::uint16_t* from, Index count) {
  const auto mask = static_cast<__mmask32>((std::uint64_t{1} << count) - 1);
  return (__m512bh)_mm512_maskz_loadu_epi16(mask, from);
}

// first: these weights were not read before, so the next ones are far too, and brought near meanwhile.
// x: rows of padded_size(K) values, zeros at the end; weights: rows of K values.
template <int R, int C>
[[gnu::always_inline]] inline void tile(const std::uint16_t* weights, const std::uint16_t* x, Index K,
                                        float* out, Index out_stride, bool first) {
  const Index x_stride = (K + kStep - 1) / kStep * kStep;
  __m512 sums[R][C];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) sums[r][c] = _mm512_setzero_ps();
  const auto add_step = [&](Index k, auto load) __attribute__((always_inline)) {
    __m512bh w[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      w[r] = load(weights + r * K + k);
      if (first) __builtin_prefetch(weights + (r + R) * K + k, 0, 2);
    }
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
      const __m512bh v = load_step(x + c * x_stride + k);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) sums[r][c] = _mm512_dpbf16_ps(sums[r][c], w[r], v);
    }
  };
  Index k = 0;
  for (; k + kStep <= K; k += kStep) add_step(k, load_step);
  if (k < K) add_step(k, [&](const std::uint16_t* from) { return load_rest(from, K - k); });
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) out[c * out_stride + r] = _mm512_reduce_add_ps(sums[r][c]);
}

template <int R, int C>
void tile_of(Index count, const std::uint16_t* weights, const std::uint16_t* x, Index K, float* out,
             Index out_stride, bool first) {
  if (count == C) return tile<R, C>(weights, x, K, out, out_stride, first);
  if constexpr (C > 1) tile_of<R, C - 1>(count, weights, x, K, out, out_stride, first);
}

}  // namespace

void product_bf16(const ProductPanel& p) {
  const auto* weights = reinterpret_cast<const std::uint16_t*>(p.weight.data);
  const Index M = p.weight.rows, K = p.weight.cols, x_stride = (K + kStep - 1) / kStep * kStep;
  if (p.N == 1) {  // row after row, just as they lie in memory: no order is read faster
    for (Index m = 0; m < M; ++m) tile<1, 1>(weights + m * K, p.x.bf16, K, p.out + m, p.out_stride, false);
    return;
  }
  for (Index n = 0; n < p.N; n += kTileX) {
    const Index count = p.N - n < kTileX ? p.N - n : kTileX;
    const std::uint16_t* x = p.x.bf16 + n * x_stride;
    float* out = p.out + n * p.out_stride;
    Index m = 0;
    for (; m + kTileWeights <= M; m += kTileWeights)
      tile_of<kTileWeights, kTileX>(count, weights + m * K, x, K, out + m, p.out_stride, n == 0);
    for (; m < M; ++m) tile_of<1, kTileX>(count, weights + m * K, x, K, out + m, p.out_stride, n == 0);
  }
}

}  // namespace llm::LLM_ISA
