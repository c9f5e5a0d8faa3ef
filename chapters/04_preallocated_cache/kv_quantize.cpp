#include "chapters/04_preallocated_cache/kv_quantize.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace llm {
namespace {

// To 17 significant bits: the last 7 of the mantissa are 0.
float round_up(float positive) {
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(positive) + 0x7fu) & ~0x7fu);
}

}  // namespace

float quantize_group(std::span<const float> values, int max_code, std::span<std::int8_t> codes) {
  assert(codes.size() == values.size());
  // --8<-- [start:ex04-3]
  std::ranges::fill(codes, std::int8_t{0});
  float largest = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) return std::numeric_limits<float>::quiet_NaN();
    largest = std::max(largest, std::abs(value));
  }
  const float scale = round_up(largest / static_cast<float>(max_code));
  if (scale < std::numeric_limits<float>::min()) return 0;  // too small to divide by
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int code = static_cast<int>(std::lrint(values[i] / scale));
    codes[i] = static_cast<std::int8_t>(std::clamp(code, -max_code, max_code));
  }
  return scale;
  // --8<-- [end:ex04-3]
}

void pack_int4(std::span<const std::int8_t> codes, std::byte* to) {
  assert(codes.size() % 2 == 0);
  // --8<-- [start:ex04-2]
  for (std::size_t i = 0; i < codes.size(); i += 2) {
    const int low = codes[i] + 8, high = codes[i + 1] + 8;
    to[i / 2] = static_cast<std::byte>(low | (high << 4));
  }
  // --8<-- [end:ex04-2]
}

}  // namespace llm
