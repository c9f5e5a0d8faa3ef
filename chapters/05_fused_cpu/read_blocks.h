// From a weight's bytes to a register of floats, for every number format, without a copy in memory.
//
//   read<kFirst>(row, step)   values 32 * step + kFirst to 32 * step + kFirst + kLanes - 1 of a row
//
// They are the floats that to_float() (common/tensor/blocks.h) gives, to the bit. A step is 32 values; kFirst
// is a multiple of kLanes below 32, known to the compiler, so that what all parts of a step have in common
// (a scale, the bytes of the codes) is read once.
#pragma once

#include <concepts>

#include "chapters/05_fused_cpu/simd.h"
#include "common/tensor/blocks.h"

namespace llm::LLM_ISA {

constexpr int kStep = 32;

template <int kFirst>
inline Floats read(const BlockF32* row, Index step) {
  return load(&row[kStep * step + kFirst].value);
}

template <int kFirst>
inline Floats read(const BlockF16* row, Index step) {
  return from_f16(&row[kStep * step + kFirst].bits);
}

template <int kFirst>
inline Floats read(const BlockBF16* row, Index step) {
  return from_bf16(&row[kStep * step + kFirst].bits);
}

// Codes come 16 at a time; of those, this is the part that a register takes.
template <int kFirst>
inline Floats part(Codes codes) {
  return from_codes<kFirst % 16 / kLanes>(codes);
}

// --8<-- [start:q8_0]
template <int kFirst>
inline Floats read(const BlockQ8_0* row, Index step) {
  const BlockQ8_0& block = row[step];
  const Codes codes = load_codes(block.codes + kFirst / 16 * 16);
  return mul(all(f16_scale(block.scale)), part<kFirst>(codes));
}
// --8<-- [end:q8_0]

// Byte i has value i in its lower half and value i + 16 in its upper one. What sets the two formats apart is
// where zero is: at code 8, or where the block's minimum says.
template <class Block>
concept HalfBytes = std::same_as<Block, BlockQ4_0> || std::same_as<Block, BlockQ4_1>;

// --8<-- [start:half_bytes]
template <int kFirst, HalfBytes Block>
inline Floats read(const Block* row, Index step) {
  // --8<-- [start:ex05-3]
  const Block& block = row[step];
  const Codes pairs = load_codes(block.codes);
  const Codes codes = kFirst < 16 ? low_halves(pairs) : high_halves(pairs);
  const Floats scale = all(f16_scale(block.scale));
  if constexpr (std::same_as<Block, BlockQ4_0>) {
    return mul(scale, part<kFirst>(minus(codes, 8)));
  } else {
    return add(mul(scale, part<kFirst>(codes)), all(f16_scale(block.min)));
  }
  // --8<-- [end:ex05-3]
}
// --8<-- [end:half_bytes]

// Sixteen codes of 5 bits: the halves of bytes, and 16 of the 32 high bits.
template <bool kUpper, class Block>
inline Codes five_bits(const Block& block) {
  std::int8_t codes[16];
  for (int i = 0; i < 16; ++i) {
    const int bit = kUpper ? i + 16 : i;
    const int high = block.high_bits[bit / 8] >> bit % 8 & 1;
    const int low = kUpper ? block.codes[i] >> 4 : block.codes[i] & 15;
    codes[i] = static_cast<std::int8_t>(high << 4 | low);
  }
  return load_codes(codes);
}

template <int kFirst>
inline Floats read(const BlockQ5_0* row, Index step) {
  const BlockQ5_0& block = row[step];
  const Codes codes = five_bits<(kFirst >= 16)>(block);
  return mul(all(f16_scale(block.scale)), part<kFirst>(minus(codes, 16)));
}

template <int kFirst>
inline Floats read(const BlockQ5_1* row, Index step) {
  const BlockQ5_1& block = row[step];
  const Codes codes = five_bits<(kFirst >= 16)>(block);
  return add(mul(all(f16_scale(block.scale)), part<kFirst>(codes)), all(f16_scale(block.min)));
}

// The scale and the minimum of one of 8 groups, 6 bits each: the first four groups have them in the low bits
// of bytes 0 to 7; the others have 4 bits in bytes 8 to 11 and the upper two where the first ones left room.
struct GroupScales {
  float scale, min;
};
template <class Block>
inline GroupScales group_scales(const Block& block, Index g) {
  const std::uint8_t* s = block.scales;
  const int scale = g < 4 ? s[g] & 63 : (s[g + 4] & 15) | (s[g - 4] >> 6) << 4;
  const int min = g < 4 ? s[g + 4] & 63 : s[g + 4] >> 4 | (s[g] >> 6) << 4;
  return {f16_scale(block.scale) * static_cast<float>(scale), f16_scale(block.min) * static_cast<float>(min)};
}

// Group g, 32 values, lies in run g / 2 of 32 bytes: in the lower halves if g is even, else in the upper.
template <int kFirst>
inline Codes group_codes(const std::uint8_t* codes, Index g) {
  const Codes pairs = load_codes(codes + g / 2 * 32 + kFirst / 16 * 16);
  return g % 2 == 0 ? low_halves(pairs) : high_halves(pairs);
}

template <int kFirst>
inline Floats read(const BlockQ4_K* row, Index step) {
  const BlockQ4_K& block = row[step / 8];
  const GroupScales scales = group_scales(block, step % 8);
  const Codes codes = group_codes<kFirst>(block.codes, step % 8);
  return add(mul(all(scales.scale), part<kFirst>(codes)), all(-scales.min));
}

template <int kFirst>
inline Floats read(const BlockQ5_K* row, Index step) {
  const BlockQ5_K& block = row[step / 8];
  const Index g = step % 8;
  const GroupScales scales = group_scales(block, g);
  constexpr int kBegin = kFirst / 16 * 16;
  std::int8_t codes[16];
  for (int i = 0; i < 16; ++i) {
    const int pair = block.codes[g / 2 * 32 + kBegin + i];
    const int high = block.high_bits[kBegin + i] >> g & 1;
    codes[i] = static_cast<std::int8_t>(high << 4 | (g % 2 == 0 ? pair & 15 : pair >> 4));
  }
  return add(mul(all(scales.scale), part<kFirst>(load_codes(codes))), all(-scales.min));
}

// Two halves of 128 values. Quarter q of a half, 32 values: 4 bits from 32 bytes that it shares with quarter
// q + 2 (lower and upper half), 2 bits from bytes that all four share. A scale every 16 values.
template <int kFirst>
inline Floats read(const BlockQ6_K* row, Index step) {
  const BlockQ6_K& block = row[step / 8];
  const Index half = step % 8 / 4, q = step % 4;
  constexpr int kBegin = kFirst / 16 * 16;
  const std::uint8_t* low = block.low_codes + half * 64 + q % 2 * 32 + kBegin;
  const std::uint8_t* high = block.high_codes + half * 32 + kBegin;
  std::int8_t codes[16];
  for (int i = 0; i < 16; ++i) {
    const int four = q < 2 ? low[i] & 15 : low[i] >> 4;
    codes[i] = static_cast<std::int8_t>((four | (high[i] >> 2 * q & 3) << 4) - 32);
  }
  const float scale = f16_scale(block.scale) * static_cast<float>(block.scales[step % 8 * 2 + kFirst / 16]);
  return mul(all(scale), part<kFirst>(load_codes(codes)));
}

}  // namespace llm::LLM_ISA
