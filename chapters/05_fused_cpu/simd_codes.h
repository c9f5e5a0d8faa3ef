// simd.h's Codes for AVX2 and AVX-512: 16 bytes are a register of 128 bits in both.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace llm::LLM_ISA {

using Codes = __m128i;
inline Codes load_codes(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
inline Codes first_codes(std::uint32_t four, std::uint32_t next_four) {
  return _mm_setr_epi32(static_cast<int>(four), static_cast<int>(next_four), 0, 0);
}
inline Codes keep(Codes a, int bits) { return _mm_and_si128(a, _mm_set1_epi8(static_cast<char>(bits))); }
inline Codes join(Codes a, Codes b) { return _mm_or_si128(a, b); }
inline Codes right(Codes a, int by) { return _mm_srli_epi16(a, by); }
inline Codes left(Codes a, int by) { return _mm_slli_epi16(a, by); }
inline Codes low_halves(Codes a) { return keep(a, 15); }
inline Codes high_halves(Codes a) { return keep(right(a, 4), 15); }
inline Codes minus(Codes a, int value) { return _mm_sub_epi8(a, _mm_set1_epi8(static_cast<char>(value))); }

}  // namespace llm::LLM_ISA
