// The storage of a weight's values: one a block for plain floats, 32 or 256 a block for GGUF's quantized
// formats. A quantized block holds small integers ("codes") and what turns them back into floats.
// Layouts: ggml's block formats, as the gguf Python package (0.19) reads them.
#pragma once

#include <cstdint>

#include "common/base/types.h"
#include "common/tensor/float_convert.h"

namespace llm {

using Half = std::uint16_t;  // the bits of a half-precision float

struct BlockF32 {
  static constexpr Index kValues = 1;
  float value;
};

struct BlockF16 {
  static constexpr Index kValues = 1;
  Half bits;
};

struct BlockBF16 {
  static constexpr Index kValues = 1;
  std::uint16_t bits;
};

// In the formats of 32 values, byte i of `codes` holds the low 4 bits of value i (lower half) and of value
// i + 16 (upper half); bit i of `high_bits` (little-endian) is the fifth bit of value i.

// value = scale * (code - 8)
struct BlockQ4_0 {
  static constexpr Index kValues = 32;
  Half scale;
  std::uint8_t codes[16];
};

// value = scale * code + min
struct BlockQ4_1 {
  static constexpr Index kValues = 32;
  Half scale;
  Half min;
  std::uint8_t codes[16];
};

// value = scale * (code - 16)
struct BlockQ5_0 {
  static constexpr Index kValues = 32;
  Half scale;
  std::uint8_t high_bits[4];
  std::uint8_t codes[16];
};

// value = scale * code + min
struct BlockQ5_1 {
  static constexpr Index kValues = 32;
  Half scale;
  Half min;
  std::uint8_t high_bits[4];
  std::uint8_t codes[16];
};

// value = scale * code
struct BlockQ8_0 {
  static constexpr Index kValues = 32;
  Half scale;
  std::int8_t codes[32];
};

// The K formats split 256 values into groups, each with a small integer scale of its own.

// 8 groups of 32: value = (scale * group_scale) * code - (min * group_min).
// `scales` packs the 8 group scales and the 8 group minima, 6 bits each.
struct BlockQ4_K {
  static constexpr Index kValues = 256;
  Half scale;
  Half min;
  std::uint8_t scales[12];
  std::uint8_t
      codes[128];  // 4 runs of 32 bytes: group 2r in the lower halves, group 2r + 1 in the upper ones
};

struct BlockQ5_K {
  static constexpr Index kValues = 256;
  Half scale;
  Half min;
  std::uint8_t scales[12];
  std::uint8_t high_bits[32];  // bit g of byte i: the fifth bit of value i of group g
  std::uint8_t codes[128];
};

// 16 groups of 16: value = (scale * group_scale) * (code - 32), codes of 6 bits.
struct BlockQ6_K {
  static constexpr Index kValues = 256;
  std::uint8_t low_codes[128];  // 2 runs of 64 bytes, 4 bits a value
  std::uint8_t high_codes[64];  // 2 runs of 32 bytes, 2 bits a value
  std::int8_t scales[16];
  Half scale;
};

static_assert(sizeof(BlockF32) == 4 && sizeof(BlockF16) == 2 && sizeof(BlockBF16) == 2);
static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20);
static_assert(sizeof(BlockQ5_0) == 22 && sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34);
static_assert(sizeof(BlockQ4_K) == 144 && sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210);

// Writes the Block::kValues values of one block. The operations and their order are those of the gguf Python
// package's dequantize, so that the floats are the same bits.
inline void to_float(const BlockF32& block, float* out) { *out = block.value; }
inline void to_float(const BlockF16& block, float* out) { *out = f16_to_float(block.bits); }
inline void to_float(const BlockBF16& block, float* out) { *out = bf16_to_float(block.bits); }
void to_float(const BlockQ4_0& block, float* out);
void to_float(const BlockQ4_1& block, float* out);
void to_float(const BlockQ5_0& block, float* out);
void to_float(const BlockQ5_1& block, float* out);
void to_float(const BlockQ8_0& block, float* out);
void to_float(const BlockQ4_K& block, float* out);
void to_float(const BlockQ5_K& block, float* out);
void to_float(const BlockQ6_K& block, float* out);

}  // namespace llm
