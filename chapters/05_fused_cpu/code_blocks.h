// From the blocks of kLanes rows of weights to registers of codes, for the formats that are multiplied as
// whole numbers.
//
//   each_group(block, rows, f)   calls f(group) for every 32 values of the rows' next blocks, in order; of
//                                `block` only the type counts
#pragma once

#include "chapters/05_fused_cpu/code_registers.h"
#include "chapters/05_fused_cpu/read_blocks.h"

namespace llm::LLM_ISA {

// 32 values of kLanes rows: value = scale * (code - kZero); lane r of codes[i] has values 4i to 4i + 3 of row
// r.
struct Group {
  Words codes[8];
  Floats scale;
};
struct GroupWithMin : Group {  // ... + min
  Floats min;
};
struct GroupWithFactors : Group {  // ... * factors[i / 16], whole numbers
  Words factors[2];
};

// What a format's codes are: at most kLargest, and kZero stands for nothing.
template <class GroupOf, int kLargest_, int kZero_>
struct CodeFormat {
  using Group = GroupOf;
  static constexpr int kLargest = kLargest_, kZero = kZero_;
};
template <class Block>
struct Format;
template <>
struct Format<BlockQ8_0> : CodeFormat<Group, 128, kSignedCodes ? 0 : 128> {};
template <>
struct Format<BlockQ4_0> : CodeFormat<Group, 15, 8> {};
template <>
struct Format<BlockQ4_1> : CodeFormat<GroupWithMin, 15, 0> {};
template <>
struct Format<BlockQ4_K> : CodeFormat<GroupWithMin, 15, 0> {};
template <>
struct Format<BlockQ6_K> : CodeFormat<GroupWithFactors, 63, 32> {};

inline Words low_halves_of(Words a) { return both(a, all(0x0f0f0f0f)); }
inline Words high_halves_of(Words a) { return both(shift_right(a, 4), all(0x0f0f0f0f)); }

template <class F>
[[gnu::always_inline]] inline void each_group(const BlockQ8_0*, const RowBytes& rows, F&& f) {
  using Block = BlockQ8_0;
  Group group;
  group.scale = load_halves(rows, offsetof(Block, scale));
  load_rows(rows, offsetof(Block, codes), group.codes);
  load_rows(rows, offsetof(Block, codes) + 16, group.codes + 4);
#if defined(__AVX512VNNI__)
#pragma GCC unroll 8
  for (Words& codes : group.codes) codes = _mm512_xor_si512(codes, all(-0x7f7f7f80));  // code + 128
#endif
  f(group);
}

template <HalfBytes Block, class F>
[[gnu::always_inline]] inline void each_group(const Block*, const RowBytes& rows, F&& f) {
  typename Format<Block>::Group group;
  group.scale = load_halves(rows, offsetof(Block, scale));
  if constexpr (requires { group.min; }) group.min = load_halves(rows, offsetof(Block, min));
  Words pairs[4];
  load_rows(rows, offsetof(Block, codes), pairs);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    group.codes[i] = low_halves_of(pairs[i]);
    group.codes[i + 4] = high_halves_of(pairs[i]);
  }
  f(group);
}

// The first 16 bytes of a block are its two scales and the 12 bytes with those of the groups: the first four
// have theirs in the low bits of bytes 0 to 7; of the others, 4 bits are in bytes 8 to 11 and the upper two
// where the first ones left room.
template <class F>
[[gnu::always_inline]] inline void each_group(const BlockQ4_K*, const RowBytes& rows, F&& f) {
  using Block = BlockQ4_K;
  Words head[4];
  load_rows(rows, 0, head);
  const Floats scale = low_half_to_float(head[0]);
  const Floats minus_min = mul(all(-1.0f), low_half_to_float(shift_right(head[0], 16)));
  const auto scales_of = [&](int g, GroupWithMin& group) __attribute__((always_inline)) {
    const int bits = g % 4 * 8;
    Words s = both(shift_right(head[1], bits), all(63)), m = both(shift_right(head[2], bits), all(63));
    if (g >= 4) {
      const Words s_high = both(shift_right(head[1], bits + 6), all(3));
      const Words m_high = both(shift_right(head[2], bits + 6), all(3));
      s = either(both(shift_right(head[3], bits), all(15)), shift_left(s_high, 4));
      m = either(both(shift_right(head[3], bits + 4), all(15)), shift_left(m_high, 4));
    }
    group.scale = mul(scale, to_float(s));
    group.min = mul(minus_min, to_float(m));
  };
  for (int pair = 0; pair < 4; ++pair) {
    Words pairs[8];
    load_rows(rows, offsetof(Block, codes) + 32 * pair, pairs);
    load_rows(rows, offsetof(Block, codes) + 32 * pair + 16, pairs + 4);
    GroupWithMin group;
    scales_of(2 * pair, group);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) group.codes[i] = low_halves_of(pairs[i]);
    f(group);
    scales_of(2 * pair + 1, group);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) group.codes[i] = high_halves_of(pairs[i]);
    f(group);
  }
}

// Quarter q of a half, 32 values: 4 bits from 32 bytes that it shares with quarter q + 2 (lower and upper
// half), 2 bits from bytes that all four share.
template <class F>
[[gnu::always_inline]] inline void each_group(const BlockQ6_K*, const RowBytes& rows, F&& f) {
  using Block = BlockQ6_K;
  GroupWithFactors group;
  group.scale = load_halves(rows, offsetof(Block, scale));
  Words factors[4];
  load_rows(rows, offsetof(Block, scales), factors);
  for (int q = 0; q < 8; ++q) {
    Words low[8], high[8];
    const Index low_codes = offsetof(Block, low_codes) + q / 4 * 64 + q % 2 * 32;
    const Index high_codes = offsetof(Block, high_codes) + q / 4 * 32;
    load_rows(rows, low_codes, low);
    load_rows(rows, low_codes + 16, low + 4);
    load_rows(rows, high_codes, high);
    load_rows(rows, high_codes + 16, high + 4);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      const Words four = low_halves_of(shift_right(low[i], q % 4 / 2 * 4));
      const Words two = both(shift_right(high[i], q % 4 * 2), all(0x03030303));
      group.codes[i] = either(four, shift_left(two, 4));
    }
    group.factors[0] = last_byte(shift_left(factors[q / 2], q % 2 == 0 ? 24 : 8));
    group.factors[1] = last_byte(shift_left(factors[q / 2], q % 2 == 0 ? 16 : 0));
    f(group);
  }
}

}  // namespace llm::LLM_ISA
