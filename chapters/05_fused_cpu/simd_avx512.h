// simd.h for AVX-512: 16 floats a register, 32 registers.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "chapters/05_fused_cpu/simd_codes.h"

namespace llm::LLM_ISA {

using Floats = __m512;
constexpr int kLanes = 16;
constexpr int kRegisters = 32;

inline Floats zero() { return _mm512_setzero_ps(); }
inline Floats all(float value) { return _mm512_set1_ps(value); }
inline Floats load(const float* from) { return _mm512_loadu_ps(from); }
inline void store(float* to, Floats a) { _mm512_storeu_ps(to, a); }
inline Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
inline Floats mul(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
inline Floats max(Floats a, Floats b) { return _mm512_max_ps(a, b); }
inline Floats sub(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
inline Floats divide(Floats a, Floats b) { return _mm512_div_ps(a, b); }
inline Floats min(Floats a, Floats b) { return _mm512_min_ps(a, b); }
inline Floats fma(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
inline float sum(Floats a) { return _mm512_reduce_add_ps(a); }

// a * 2^n, where the lowest bits of the float n are a whole number.
inline Floats times_power_of_two(Floats a, Floats n) {
  return _mm512_castsi512_ps(
      _mm512_add_epi32(_mm512_castps_si512(a), _mm512_slli_epi32(_mm512_castps_si512(n), 23)));
}

inline Floats from_bf16(const std::uint16_t* from) {
  const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}
inline Floats from_f16(const std::uint16_t* from) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
inline float f16_scale(std::uint16_t half) { return _cvtsh_ss(half); }

inline Codes fifth_bits(std::uint16_t bits) { return _mm_maskz_set1_epi8(bits, 16); }
// Part 0 is all there is: 16 codes are one register.
template <int kPart>
inline Floats from_codes(Codes a) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(a));
}

// A register of 16 floats has a value for each code of 4 bits: values[bits `from` to `from` + 3 of each
// byte].
inline Floats look_up(Codes bytes, int from, Floats values) {
  return _mm512_permutexvar_ps(_mm512_srli_epi32(_mm512_cvtepu8_epi32(bytes), static_cast<unsigned>(from)),
                               values);
}
inline Floats zero_to_15() { return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }

}  // namespace llm::LLM_ISA
