#include "common/tensor/blocks.h"

namespace llm {
namespace {

// The low 4 bits of value i of a block of 32, and its fifth bit moved to bit 4.
template <class Block>
int low_code(const Block& block, int i) {
  return i < 16 ? block.codes[i] & 15 : block.codes[i - 16] >> 4;
}

template <class Block>
int fifth_bit(const Block& block, int i) {
  return (block.high_bits[i / 8] >> (i % 8) & 1) << 4;
}

// Group g's scale and minimum, 6 bits each, out of the 12 bytes that Q4_K and Q5_K pack them into: the first
// four groups have theirs whole in bytes 0-3 (scales) and 4-7 (minima), the last four take their low 4 bits
// from bytes 8-11 and their high 2 bits from the spare top bits of the first eight.
struct GroupScale {
  float scale;
  float min;
};

GroupScale group_scale(const std::uint8_t (&packed)[12], int g) {
  int scale = 0, min = 0;
  if (g < 4) {
    scale = packed[g] & 63;
    min = packed[g + 4] & 63;
  } else {
    scale = (packed[g + 4] & 15) | (packed[g - 4] >> 6) << 4;
    min = packed[g + 4] >> 4 | (packed[g] >> 6) << 4;
  }
  return {static_cast<float>(scale), static_cast<float>(min)};
}

}  // namespace

void to_float(const BlockQ4_0& block, float* out) {
  const float scale = f16_to_float(block.scale);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(low_code(block, i) - 8);
}

void to_float(const BlockQ4_1& block, float* out) {
  const float scale = f16_to_float(block.scale), min = f16_to_float(block.min);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(low_code(block, i)) + min;
}

void to_float(const BlockQ5_0& block, float* out) {
  const float scale = f16_to_float(block.scale);
  for (int i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>((low_code(block, i) | fifth_bit(block, i)) - 16);
}

void to_float(const BlockQ5_1& block, float* out) {
  const float scale = f16_to_float(block.scale), min = f16_to_float(block.min);
  for (int i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>(low_code(block, i) | fifth_bit(block, i)) + min;
}

void to_float(const BlockQ8_0& block, float* out) {
  const float scale = f16_to_float(block.scale);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(block.codes[i]);
}

void to_float(const BlockQ4_K& block, float* out) {
  const float block_scale = f16_to_float(block.scale), block_min = f16_to_float(block.min);
  for (int g = 0; g < 8; ++g) {
    const GroupScale group = group_scale(block.scales, g);
    const float scale = block_scale * group.scale, min = block_min * group.min;
    const std::uint8_t* codes = block.codes + g / 2 * 32;
    for (int i = 0; i < 32; ++i)
      out[g * 32 + i] = scale * static_cast<float>(codes[i] >> (g % 2 * 4) & 15) - min;
  }
}

void to_float(const BlockQ5_K& block, float* out) {
  const float block_scale = f16_to_float(block.scale), block_min = f16_to_float(block.min);
  for (int g = 0; g < 8; ++g) {
    const GroupScale group = group_scale(block.scales, g);
    const float scale = block_scale * group.scale, min = block_min * group.min;
    const std::uint8_t* codes = block.codes + g / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int code = (codes[i] >> (g % 2 * 4) & 15) | (block.high_bits[i] >> g & 1) << 4;
      out[g * 32 + i] = scale * static_cast<float>(code) - min;
    }
  }
}

void to_float(const BlockQ6_K& block, float* out) {
  const float block_scale = f16_to_float(block.scale);
  // Eight rows of 32 values. Each run of four rows shares 64 bytes of low bits (rows 0 and 1 in the lower
  // halves, 2 and 3 in the upper ones) and 32 bytes of high bits (row k at bit 2k).
  for (int row = 0; row < 8; ++row) {
    const int run = row / 4, k = row % 4;
    const std::uint8_t* low = block.low_codes + run * 64 + k % 2 * 32;
    const std::uint8_t* high = block.high_codes + run * 32;
    for (int i = 0; i < 32; ++i) {
      const int code = (low[i] >> (k / 2 * 4) & 15) | (high[i] >> (k * 2) & 3) << 4;
      const float scale = block_scale * static_cast<float>(block.scales[row * 2 + i / 16]);
      out[row * 32 + i] = scale * static_cast<float>(code - 32);
    }
  }
}

}  // namespace llm
