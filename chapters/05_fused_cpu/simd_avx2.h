// simd.h for AVX2 with FMA: 8 floats a register, 16 registers.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "chapters/05_fused_cpu/simd_codes.h"

namespace llm::LLM_ISA {

using Floats = __m256;
constexpr int kLanes = 8;
constexpr int kRegisters = 16;

inline Floats zero() { return _mm256_setzero_ps(); }
inline Floats all(float value) { return _mm256_set1_ps(value); }
inline Floats load(const float* from) { return _mm256_loadu_ps(from); }
inline void store(float* to, Floats a) { _mm256_storeu_ps(to, a); }
inline Floats add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
inline Floats mul(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
inline Floats max(Floats a, Floats b) { return _mm256_max_ps(a, b); }
inline Floats sub(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
inline Floats divide(Floats a, Floats b) { return _mm256_div_ps(a, b); }
inline Floats min(Floats a, Floats b) { return _mm256_min_ps(a, b); }
inline Floats fma(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
inline float sum(Floats a) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// a * 2^n, where the lowest bits of the float n are a whole number.
inline Floats times_power_of_two(Floats a, Floats n) {
  return _mm256_castsi256_ps(
      _mm256_add_epi32(_mm256_castps_si256(a), _mm256_slli_epi32(_mm256_castps_si256(n), 23)));
}

inline Floats from_bf16(const std::uint16_t* from) {
  const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}
inline Floats from_f16(const std::uint16_t* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
inline float f16_scale(std::uint16_t half) { return _cvtsh_ss(half); }

inline Codes fifth_bits(std::uint16_t bits) {
  const Codes each_half = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  const Codes bytes = _mm_shuffle_epi8(_mm_cvtsi32_si128(bits), each_half);
  const Codes own = _mm_set1_epi64x(static_cast<long long>(0x8040201008040201));
  return keep(_mm_cmpeq_epi8(_mm_and_si128(bytes, own), own), 16);
}
// Part 0: codes 0 to 7, part 1: codes 8 to 15.
template <int kPart>
inline Floats from_codes(Codes a) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(kPart == 0 ? a : _mm_srli_si128(a, 8)));
}

}  // namespace llm::LLM_ISA
