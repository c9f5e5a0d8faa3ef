// From a weight's bytes to a register of floats, for every number format, without a copy in memory.
//
//   read<kFirst>(row, step)   values 32 * step + kFirst to 32 * step + kFirst + kLanes - 1 of a row
//
// They are the floats that to_float() (common/tensor/blocks.h) gives, to the bit: of scale * code + min the
// product has few enough bits to be exact, so that fma() rounds no less often. A step is 32 values; kFirst
// is a multiple of kLanes below 32, known to the compiler, so that what all parts of a step have in common
// (a scale, the bytes of the codes) is read once. `row` is a pointer to blocks; but where a block is 8 steps,
// with a scale for each, it is an opened block, all of whose scales are floats already:
//
//   open(block)               a Groups<Block>, whose steps are 0 to 7
#pragma once

#include <concepts>
#include <cstring>
#include <utility>

#include "chapters/05_fused_cpu/simd.h"
#include "common/tensor/blocks.h"

namespace llm::LLM_ISA {

constexpr int kStep = 32;

// f.template operator()<kFirst>() for each part of kCount values that is one register.
template <int kCount, class F>
[[gnu::always_inline]] inline void each_part(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f.template operator()<I * kLanes>(), ...);
  }
  (std::make_integer_sequence<int, (kCount + kLanes - 1) / kLanes>{});
}

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

#if defined(__AVX512F__)
// A register has room for all values that a code may stand for: they are made once a step, and looked up.
template <int kFirst, HalfBytes Block>
inline Floats read(const Block* row, Index step) {
  const Block& block = row[step];
  const Floats scale = all(f16_scale(block.scale));
  Floats values;
  if constexpr (std::same_as<Block, BlockQ4_0>)
    values = mul(scale, sub(zero_to_15(), all(8.0f)));
  else
    values = fma(scale, zero_to_15(), all(f16_scale(block.min)));
  return look_up(load_codes(block.codes), kFirst / 16 * 4, values);
}
#else

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
    return fma(scale, part<kFirst>(codes), all(f16_scale(block.min)));
  }
  // --8<-- [end:ex05-3]
}
// --8<-- [end:half_bytes]
#endif

// Sixteen codes of 5 bits: the halves of bytes, and 16 of the 32 high bits.
template <int kFirst, class Block>
inline Codes five_bits(const Block& block) {
  const Codes pairs = load_codes(block.codes);
  std::uint16_t high;
  std::memcpy(&high, block.high_bits + kFirst / 16 * 2, sizeof(high));
  return join(kFirst < 16 ? low_halves(pairs) : high_halves(pairs), fifth_bits(high));
}
template <int kFirst>
inline Floats read(const BlockQ5_0* row, Index step) {
  const BlockQ5_0& block = row[step];
  return mul(all(f16_scale(block.scale)), part<kFirst>(minus(five_bits<kFirst>(block), 16)));
}
template <int kFirst>
inline Floats read(const BlockQ5_1* row, Index step) {
  const BlockQ5_1& block = row[step];
  return fma(all(f16_scale(block.scale)), part<kFirst>(five_bits<kFirst>(block)), all(f16_scale(block.min)));
}

// A block of 256 values, whose groups have scales of their own.
template <class Block>
struct Groups {
  const Block* block;
  float scale[16], min[16];  // value = scale * code + min; 8 groups, or in Q6_K 16, without a minimum
};
template <class Block>
concept HasGroups = Block::kValues == 256;

// to[i] = scale * codes[i] for the first kCount codes
template <int kCount>
inline void scale_codes(Codes codes, float scale, float* to) {
  each_part<kCount>([&]<int kFirst>() { store(to + kFirst, mul(all(scale), part<kFirst>(codes))); });
}

// Scale and minimum of each of 8 groups, 6 bits each: the first four groups have them in the low bits of
// bytes 0 to 3 and 4 to 7; the others have 4 bits in bytes 8 to 11 and two where the first ones left room.
template <class Block>
[[gnu::always_inline]] inline Groups<Block> open(const Block& block) {
  std::uint32_t s[3];  // four groups at a time
  std::memcpy(s, block.scales, sizeof(s));
  constexpr std::uint32_t kSix = 0x3f3f3f3f, kFour = 0x0f0f0f0f, kTwo = 0x30303030;
  const Codes scales = first_codes(s[0] & kSix, (s[2] & kFour) | (s[0] >> 2 & kTwo));
  const Codes minima = first_codes(s[1] & kSix, (s[2] >> 4 & kFour) | (s[1] >> 2 & kTwo));
  Groups<Block> groups;
  groups.block = &block;
  scale_codes<8>(scales, f16_scale(block.scale), groups.scale);
  scale_codes<8>(minima, -f16_scale(block.min), groups.min);
  return groups;
}

// Group g, 32 values, lies in run g / 2 of 32 bytes: in the lower halves if g is even, else in the upper.
template <int kFirst>
inline Codes group_codes(const std::uint8_t* codes, Index g) {
  const Codes pairs = load_codes(codes + g / 2 * 32 + kFirst / 16 * 16);
  return low_halves(right(pairs, static_cast<int>(g % 2 * 4)));
}

template <int kFirst>
inline Floats read(const Groups<BlockQ4_K>& groups, Index g) {
  const Floats scale = all(groups.scale[g]), min = all(groups.min[g]);
#if defined(__AVX512F__)
  const Codes pairs = load_codes(groups.block->codes + g / 2 * 32 + kFirst);
  return look_up(pairs, static_cast<int>(g % 2 * 4), fma(scale, zero_to_15(), min));
#else
  return fma(scale, part<kFirst>(group_codes<kFirst>(groups.block->codes, g)), min);
#endif
}

template <int kFirst>
inline Floats read(const Groups<BlockQ5_K>& groups, Index g) {
  const BlockQ5_K& block = *groups.block;
  const Codes high = right(load_codes(block.high_bits + kFirst / 16 * 16), static_cast<int>(g));
  const Codes codes = join(group_codes<kFirst>(block.codes, g), keep(left(high, 4), 16));
  return fma(all(groups.scale[g]), part<kFirst>(codes), all(groups.min[g]));
}

// Two halves of 128 values. Quarter q of a half, 32 values: 4 bits from 32 bytes that it shares with quarter
// q + 2 (lower and upper half), 2 bits from bytes that all four share. A scale every 16 values.
[[gnu::always_inline]] inline Groups<BlockQ6_K> open(const BlockQ6_K& block) {
  Groups<BlockQ6_K> groups;
  groups.block = &block;
  scale_codes<16>(load_codes(block.scales), f16_scale(block.scale), groups.scale);
  return groups;
}
template <int kFirst>
inline Floats read(const Groups<BlockQ6_K>& groups, Index step) {
  const Index half = step / 4, q = step % 4;
  constexpr int kBegin = kFirst / 16 * 16;
  const Codes low = load_codes(groups.block->low_codes + half * 64 + q % 2 * 32 + kBegin);
  const Codes high = load_codes(groups.block->high_codes + half * 32 + kBegin);
  const Codes four = low_halves(right(low, static_cast<int>(q / 2 * 4)));
  const Codes two = keep(left(right(high, static_cast<int>(2 * q)), 4), 48);
  return mul(all(groups.scale[2 * step + kFirst / 16]), part<kFirst>(minus(join(four, two), 32)));
}

}  // namespace llm::LLM_ISA
