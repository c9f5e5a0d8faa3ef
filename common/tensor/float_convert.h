// float32 from and to the two 16-bit float formats.
#pragma once

#include <bit>
#include <cstdint>

namespace llm {

// IEEE half precision, 1 sign, 5 exponent and 10 mantissa bits: exact for every one of the 65,536 codes.
inline float f16_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t magnitude = (half & 0x7fffu) << 13;
  // The exponent biases differ by 112; a product of floats also gets the subnormals right.
  const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  const std::uint32_t special = magnitude | 0x7f800000u;  // infinity or NaN
  return std::bit_cast<float>(sign | (magnitude >= (0x7c00u << 13) ? special : scaled));
}

// To the nearest half, ties to even; beyond 65,504 (from 65,520 on) infinity; NaN stays NaN.
inline std::uint16_t float_to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    magnitude = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) {
    magnitude = 0x7c00u;
  } else if (magnitude < 0x38800000u) {
    // Subnormal in half precision: the last bit of 0.5f weighs 2^-24, just as that of a subnormal half,
    // so the addition rounds.
    magnitude = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  } else {
    const std::uint32_t round = 0xfffu + (magnitude >> 13 & 1u);
    magnitude = (magnitude + round - (112u << 23)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | magnitude);
}

// bfloat16: the upper half of a float32.
inline float bf16_to_float(std::uint16_t upper) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(upper) << 16);
}

// To the nearest bfloat16, ties to even; NaN stays NaN.
inline std::uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace llm
