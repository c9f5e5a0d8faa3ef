// What simd.h lacks for products of whole numbers. A lane is a row of weights here: 8 rows are side by side
// with AVX2, 16 with AVX-512 and VNNI.
//
//   Words                   kLanes 32-bit integers
//   load_rows, load_halves  four bytes of each row to a lane; a half-precision number of each row
//   dot<kLargest>           multiplies the four bytes in each lane by four of x and adds them up
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "chapters/05_fused_cpu/simd.h"
#include "common/base/types.h"

namespace llm::LLM_ISA {

inline std::int32_t load_word(const void* from) {
  std::int32_t word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

#if defined(__AVX512VNNI__)

using Words = __m512i;

inline Words all(std::int32_t value) { return _mm512_set1_epi32(value); }
inline Words both(Words a, Words b) { return _mm512_and_si512(a, b); }  // the bits that both have
inline Words either(Words a, Words b) { return _mm512_or_si512(a, b); }
inline Words shift_left(Words a, int bits) { return _mm512_slli_epi32(a, static_cast<unsigned>(bits)); }
inline Words shift_right(Words a, int bits) { return _mm512_srli_epi32(a, static_cast<unsigned>(bits)); }
inline Words last_byte(Words a) { return _mm512_srai_epi32(a, 24); }  // the uppermost, with its sign
inline Words add(Words a, Words b) { return _mm512_add_epi32(a, b); }
inline Words mul(Words a, Words b) { return _mm512_mullo_epi32(a, b); }
inline Floats to_float(Words a) { return _mm512_cvtepi32_ps(a); }
inline Floats halves_to_float(__m256i a) { return _mm512_cvtph_ps(a); }
inline Floats low_half_to_float(Words a) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(a)); }

inline Words low_words(Words a, Words b) { return _mm512_unpacklo_epi32(a, b); }
inline Words high_words(Words a, Words b) { return _mm512_unpackhi_epi32(a, b); }
inline Words low_pairs(Words a, Words b) { return _mm512_unpacklo_epi64(a, b); }
inline Words high_pairs(Words a, Words b) { return _mm512_unpackhi_epi64(a, b); }

// One instruction for four multiply-adds, of unsigned weights.
constexpr bool kSignedCodes = false;
template <int kLargest, int kCount>
[[gnu::always_inline]] inline Words dot(Words sum, const Words* codes, const std::int8_t* x) {
  Words more = _mm512_setzero_si512();
#pragma GCC unroll 8
  for (int i = 0; i < kCount / 2; ++i) {
    sum = _mm512_dpbusd_epi32(sum, codes[i], all(load_word(x + 4 * i)));
    more = _mm512_dpbusd_epi32(more, codes[i + kCount / 2], all(load_word(x + 4 * (i + kCount / 2))));
  }
  return add(sum, more);
}

#else

using Words = __m256i;

inline Words all(std::int32_t value) { return _mm256_set1_epi32(value); }
inline Words both(Words a, Words b) { return _mm256_and_si256(a, b); }
inline Words either(Words a, Words b) { return _mm256_or_si256(a, b); }
inline Words shift_left(Words a, int bits) { return _mm256_slli_epi32(a, bits); }
inline Words shift_right(Words a, int bits) { return _mm256_srli_epi32(a, bits); }
inline Words last_byte(Words a) { return _mm256_srai_epi32(a, 24); }
inline Words add(Words a, Words b) { return _mm256_add_epi32(a, b); }
inline Words mul(Words a, Words b) { return _mm256_mullo_epi32(a, b); }
inline Floats to_float(Words a) { return _mm256_cvtepi32_ps(a); }
inline Floats halves_to_float(__m128i a) { return _mm256_cvtph_ps(a); }
inline Floats low_half_to_float(Words a) {
  const Words low = both(a, all(0xffff));
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0b1000);
  return _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
}

inline Words low_words(Words a, Words b) { return _mm256_unpacklo_epi32(a, b); }
inline Words high_words(Words a, Words b) { return _mm256_unpackhi_epi32(a, b); }
inline Words low_pairs(Words a, Words b) { return _mm256_unpacklo_epi64(a, b); }
inline Words high_pairs(Words a, Words b) { return _mm256_unpackhi_epi64(a, b); }

// Bytes are multiplied in pairs, unsigned by signed, to sums of 16 bits: as many of those are added up as
// cannot overflow. Codes up to 128 have to be signed: their magnitude times x with their sign.
constexpr bool kSignedCodes = true;
template <int kLargest, int kCount>
[[gnu::always_inline]] inline Words dot(Words sum, const Words* codes, const std::int8_t* x) {
  constexpr int kSafe = 32767 / (2 * 127 * kLargest) < kCount ? 32767 / (2 * 127 * kLargest) : kCount;
#pragma GCC unroll 8
  for (int i = 0; i < kCount; i += kSafe) {
    Words pairs = _mm256_setzero_si256();
    for (int s = i; s < i + kSafe && s < kCount; ++s) {
      Words c = codes[s], v = all(load_word(x + 4 * s));
      if constexpr (kLargest == 128) {
        v = _mm256_sign_epi8(v, c);
        c = _mm256_abs_epi8(c);
      }
      const Words products = _mm256_maddubs_epi16(c, v);
      pairs = s == i ? products : _mm256_add_epi16(pairs, products);
    }
    sum = add(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  return sum;
}

#endif

// Where the next blocks of kLanes rows are. Of four pointers and a step, since a processor has no registers
// for 16 pointers.
struct RowBytes {
  const std::byte* rows[4];  // the first four
  Index four, twelve;        // from a row to the fourth, and to the twelfth after it, in bytes

  RowBytes(const void* first, Index stride) : four(4 * stride), twelve(12 * stride) {
    for (int r = 0; r < 4; ++r) rows[r] = static_cast<const std::byte*>(first) + r * stride;
  }
  void skip(Index bytes) {
    for (const std::byte*& row : rows) row += bytes;
  }
  // The byte at `offset` of row 4 * kFour + r.
  template <int kFour>
  const std::byte* at(int r, Index offset) const {
    return rows[r] + offset + (kFour == 3 ? twelve : kFour * four);
  }
};

// 16 bytes of rows r, r + 4, ...
[[gnu::always_inline]] inline Words load_every_fourth(const RowBytes& bytes, int r, Index offset) {
#if defined(__AVX512VNNI__)
  Words rows = _mm512_castsi128_si512(load_codes(bytes.at<0>(r, offset)));
  rows = _mm512_inserti32x4(rows, load_codes(bytes.at<1>(r, offset)), 1);
  rows = _mm512_inserti32x4(rows, load_codes(bytes.at<2>(r, offset)), 2);
  return _mm512_inserti32x4(rows, load_codes(bytes.at<3>(r, offset)), 3);
#else
  const Words rows = _mm256_castsi128_si256(load_codes(bytes.at<0>(r, offset)));
  return _mm256_inserti128_si256(rows, load_codes(bytes.at<1>(r, offset)), 1);
#endif
}

// to[i] lane r: bytes 4i to 4i + 3 of the 16 at `offset` of row r.
[[gnu::always_inline]] inline void load_rows(const RowBytes& bytes, Index offset, Words* to) {
  const Words a = load_every_fourth(bytes, 0, offset), b = load_every_fourth(bytes, 1, offset);
  const Words c = load_every_fourth(bytes, 2, offset), d = load_every_fourth(bytes, 3, offset);
  const Words ab = low_words(a, b), cd = low_words(c, d);
  const Words ab_high = high_words(a, b), cd_high = high_words(c, d);
  to[0] = low_pairs(ab, cd);
  to[1] = high_pairs(ab, cd);
  to[2] = low_pairs(ab_high, cd_high);
  to[3] = high_pairs(ab_high, cd_high);
}

// The half-precision number at `offset` of each row.
template <int kFour>
[[gnu::always_inline]] inline __m128i insert_halves(__m128i to, const RowBytes& bytes, Index offset) {
  constexpr int kLane = kFour % 2 * 4;
  const auto half = [&](int r) {
    short bits;
    std::memcpy(&bits, bytes.at<kFour>(r, offset), sizeof(bits));
    return bits;
  };
  to = _mm_insert_epi16(to, half(0), kLane);
  to = _mm_insert_epi16(to, half(1), kLane + 1);
  to = _mm_insert_epi16(to, half(2), kLane + 2);
  return _mm_insert_epi16(to, half(3), kLane + 3);
}
[[gnu::always_inline]] inline Floats load_halves(const RowBytes& bytes, Index offset) {
  const __m128i eight = insert_halves<1>(insert_halves<0>(_mm_setzero_si128(), bytes, offset), bytes, offset);
#if defined(__AVX512VNNI__)
  const __m128i more = insert_halves<3>(insert_halves<2>(_mm_setzero_si128(), bytes, offset), bytes, offset);
  return halves_to_float(_mm256_set_m128i(more, eight));
#else
  return halves_to_float(eight);
#endif
}

}  // namespace llm::LLM_ISA
