// Products of whole numbers: blocks of weights as they stand in the file with rows of x that were rounded to
// INT8. Compiled for AVX2 and for AVX-512 with VNNI, which has one instruction for four multiply-adds.
#include <immintrin.h>

#include "chapters/05_fused_cpu/kernel_parts.h"

namespace llm::LLM_ISA {
namespace {

#if defined(__AVX512VNNI__)
constexpr int kTileWeights = 4, kTileX = 4, kLoneWeights = 8;
#else
constexpr int kTileWeights = 4, kTileX = 2, kLoneWeights = 4;
#endif

// Each of 8 lanes: sum + a[0] b[0] + ... + a[3] b[3], of unsigned a and signed b.
inline __m256i add_products(__m256i sum, __m256i a, __m256i b) {
#if defined(__AVX512VNNI__)
  return _mm256_dpbusd_epi32(sum, a, b);
#else
  const __m256i pairs = _mm256_maddubs_epi16(a, b);  // at most 2 * 128 * 127: no overflow
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
#endif
}

inline __m256 every(float value) { return _mm256_set1_ps(value); }
inline __m256 half_to_float(const Half* half) {
  return _mm256_cvtph_ps(_mm_set1_epi16(static_cast<short>(*half)));
}

// 16 bytes as 32 codes: the lower halves, then the upper ones.
inline __m256i codes_of_halves(const std::uint8_t* bytes) {
  const __m128i pairs = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(pairs), _mm_srli_epi16(pairs, 4), 1);
  return _mm256_and_si256(both, _mm256_set1_epi8(15));
}

// The codes of one block and what turns them into numbers: value = scale * code + min, in which the part
// that is the same for all codes of a row of x comes in by `start` (whole numbers) or `min`.
// --8<-- [start:q8_0_dot]
struct WeightsQ8_0 {
  using Block = BlockQ8_0;
  __m256i codes;
  __m256 scale;
  explicit WeightsQ8_0(const Block& block)
      : codes(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block.codes))),
        scale(half_to_float(&block.scale)) {
#if defined(__AVX512VNNI__)
    codes = _mm256_xor_si256(codes, _mm256_set1_epi8(static_cast<char>(0x80)));  // code + 128, unsigned
#endif
  }
  __m256i dot(const CodeBlock& x) const {
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x.codes));
#if defined(__AVX512VNNI__)
    return add_products(_mm256_set1_epi32(x.minus_16_sum), codes, b);  // 8 lanes of -16 sum: -128 sum
#else
    return add_products(_mm256_setzero_si256(), _mm256_abs_epi8(codes), _mm256_sign_epi8(b, codes));
#endif
  }
  __m256 add_min(const CodeBlock&, __m256 sum) const { return sum; }
};
// --8<-- [end:q8_0_dot]

struct WeightsQ4_0 {
  using Block = BlockQ4_0;
  __m256i codes;
  __m256 scale;
  explicit WeightsQ4_0(const Block& block)
      : codes(codes_of_halves(block.codes)), scale(half_to_float(&block.scale)) {}
  __m256i dot(const CodeBlock& x) const {  // 8 lanes of -sum: the 8 that is taken off every code
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x.codes));
    return add_products(_mm256_set1_epi32(x.minus_sum), codes, b);
  }
  __m256 add_min(const CodeBlock&, __m256 sum) const { return sum; }
};

struct WeightsQ4_1 {
  using Block = BlockQ4_1;
  __m256i codes;
  __m256 scale, min;
  explicit WeightsQ4_1(const Block& block)
      : codes(codes_of_halves(block.codes)),
        scale(half_to_float(&block.scale)),
        min(half_to_float(&block.min)) {}
  __m256i dot(const CodeBlock& x) const {
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x.codes));
    return add_products(_mm256_setzero_si256(), codes, b);
  }
  __m256 add_min(const CodeBlock& x, __m256 sum) const {  // 8 lanes of an eighth
    return _mm256_fmadd_ps(min, every(x.eighth_of_sum), sum);
  }
};

inline float lane_sum(__m256 a) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// first: these weights were not read before, so the next ones are far too, and brought near meanwhile.
// out[c * out_stride + r] for R rows of weights, `stride` blocks apart, and C rows of x of `stride` blocks.
template <int R, int C, class Weights, class Block = typename Weights::Block>
[[gnu::always_inline]] inline void tile(const Block* weights, const CodeBlock* x, Index stride, float* out,
                                        Index out_stride, bool first) {
  __m256 sums[R][C];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) sums[r][c] = _mm256_setzero_ps();
  for (Index b = 0; b < stride; ++b) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const Block& block = weights[r * stride + b];
      if (first) __builtin_prefetch(&block + R * stride, 0, 2);
      const Weights w(block);
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) {
        const CodeBlock& xb = x[c * stride + b];
        const __m256 scale = _mm256_mul_ps(w.scale, every(xb.scale));
        sums[r][c] = w.add_min(xb, _mm256_fmadd_ps(_mm256_cvtepi32_ps(w.dot(xb)), scale, sums[r][c]));
      }
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) out[c * out_stride + r] = lane_sum(sums[r][c]);
}

template <int R, int C, class Weights, class Block = typename Weights::Block>
void tile_of(Index count, const Block* weights, const CodeBlock* x, Index stride, float* out,
             Index out_stride, bool first) {
  if (count == C) return tile<R, C, Weights>(weights, x, stride, out, out_stride, first);
  if constexpr (C > 1) tile_of<R, C - 1, Weights>(count, weights, x, stride, out, out_stride, first);
}

template <class Weights>
void multiply(const ProductPanel& p) {
  using Block = typename Weights::Block;
  const auto* weights = reinterpret_cast<const Block*>(p.weight.data);
  const Index M = p.weight.rows, stride = p.weight.cols / Block::kValues;
  Index done = 0;
  if (p.N == 1)
    for (; done + kLoneWeights <= M; done += kLoneWeights)
      tile<kLoneWeights, 1, Weights>(weights + done * stride, p.x.codes, stride, p.out + done, p.out_stride,
                                     true);
  for (Index n = 0; n < p.N; n += kTileX) {
    const Index count = p.N - n < kTileX ? p.N - n : kTileX;
    const CodeBlock* x = p.x.codes + n * stride;
    float* out = p.out + n * p.out_stride;
    Index m = done;
    for (; m + kTileWeights <= M; m += kTileWeights)
      tile_of<kTileWeights, kTileX, Weights>(count, weights + m * stride, x, stride, out + m, p.out_stride,
                                             n == 0);
    for (; m < M; ++m)
      tile_of<1, kTileX, Weights>(count, weights + m * stride, x, stride, out + m, p.out_stride, n == 0);
  }
}

}  // namespace

void product_codes(const ProductPanel& p) {
  switch (p.weight.dtype) {
    case DType::kQ8_0: return multiply<WeightsQ8_0>(p);
    case DType::kQ4_0: return multiply<WeightsQ4_0>(p);
    default: return multiply<WeightsQ4_1>(p);
  }
}

// --8<-- [start:quantize]
void quantize_x(const float* x, Index K, CodeBlock* to) {
  for (Index b = 0; b < K / 32; ++b, x += 32, ++to) {
    std::uint32_t bits = 0;  // of the largest magnitude; those of NaN are larger than any number's
    for (int i = 0; i < 32; ++i) {
      const std::uint32_t magnitude = __builtin_bit_cast(std::uint32_t, x[i]) & 0x7fffffffu;
      bits = magnitude > bits ? magnitude : bits;
    }
    const float largest = __builtin_bit_cast(float, bits);
    // Next to nothing is nothing; NaN and infinity stay in the scale.
    const bool is_normal = largest > 1e-36f && largest <= 3.4e38f;
    const float inverse = is_normal ? 127 / largest : 0.0f;
    int sum = 0;
    for (int i = 0; i < 32; ++i) {
      const int code = is_normal ? static_cast<int>(__builtin_nearbyintf(x[i] * inverse)) : 0;
      to->codes[i] = static_cast<std::int8_t>(code);
      sum += code;
    }
    to->scale = largest / 127;
    to->eighth_of_sum = to->scale * static_cast<float>(sum) / 8;
    to->minus_sum = -sum;
    to->minus_16_sum = -16 * sum;
  }
}
// --8<-- [end:quantize]

}  // namespace llm::LLM_ISA
