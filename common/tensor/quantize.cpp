#include "common/tensor/quantize.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/base/error.h"
#include "common/tensor/blocks.h"

namespace llm {
namespace {

void from_float(const float* values, BlockF16& block) { block.bits = float_to_f16(*values); }
void from_float(const float* values, BlockBF16& block) { block.bits = float_to_bf16(*values); }

// 1 / scale, and 0 for a scale that is 0 or too small to have a float as its inverse.
float inverse(float scale) {
  const float result = 1.0f / scale;
  return scale == 0.0f || std::isinf(result) ? 0.0f : result;
}

// A block with a number that is none, or infinite, becomes one of NaN: no code could say where it was.
template <class Block>
bool is_lost(const float* values, Block& block) {
  if (std::all_of(values, values + Block::kValues, [](float value) { return std::isfinite(value); }))
    return false;
  block = {};
  block.scale = float_to_f16(std::numeric_limits<float>::quiet_NaN());
  return true;
}

// code = round(value / scale), halves away from zero; scale = largest magnitude / 127.
void from_float(const float* values, BlockQ8_0& block) {
  if (is_lost(values, block)) return;
  float largest = 0.0f;
  for (int i = 0; i < 32; ++i) largest = std::max(largest, std::abs(values[i]));
  const float scale = largest / 127.0f, to_code = inverse(scale);
  block.scale = float_to_f16(scale);
  for (int i = 0; i < 32; ++i) {
    const float exact = values[i] * to_code;
    const float magnitude = std::abs(exact);
    const int whole = static_cast<int>(magnitude);
    const int rounded = whole + static_cast<int>(2.0f * (magnitude - static_cast<float>(whole)));
    block.codes[i] = static_cast<std::int8_t>(exact < 0.0f ? -rounded : rounded);
  }
}

// code = floor(value / scale + 8.5), at most 15. The scale is such that the value of largest magnitude, sign
// included, becomes -8: one side of zero has a code more than the other.
void from_float(const float* values, BlockQ4_0& block) {
  if (is_lost(values, block)) return;
  float extreme = values[0];
  for (int i = 1; i < 32; ++i)
    if (std::abs(values[i]) > std::abs(extreme)) extreme = values[i];
  const float scale = extreme / -8.0f, to_code = inverse(scale);
  block.scale = float_to_f16(scale);
  const auto code = [&](float value) {
    return static_cast<unsigned>(std::min(static_cast<int>(value * to_code + 8.5f), 15));
  };
  for (int i = 0; i < 16; ++i)
    block.codes[i] = static_cast<std::uint8_t>(code(values[i]) | code(values[i + 16]) << 4);
}

template <class Block>
void quantize_blocks(std::span<const float> values, std::byte* out) {
  assert(static_cast<Index>(values.size()) % Block::kValues == 0);
  const Index blocks = static_cast<Index>(values.size()) / Block::kValues;
  for (Index b = 0; b < blocks; ++b)
    from_float(values.data() + b * Block::kValues, reinterpret_cast<Block*>(out)[b]);
}

}  // namespace

bool can_quantize_to(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kQ8_0 ||
         dtype == DType::kQ4_0;
}

void quantize_row(DType dtype, std::span<const float> values, std::byte* out) {
  switch (dtype) {
    case DType::kF32: std::memcpy(out, values.data(), values.size_bytes()); return;
    case DType::kF16: return quantize_blocks<BlockF16>(values, out);
    case DType::kBF16: return quantize_blocks<BlockBF16>(values, out);
    case DType::kQ8_0: return quantize_blocks<BlockQ8_0>(values, out);
    case DType::kQ4_0: return quantize_blocks<BlockQ4_0>(values, out);
    default: break;
  }
  fail(ErrorCode::kUnsupported, {.where = "dtype",
                                 .what = "weights cannot be converted to",
                                 .got = std::string(dtype_name(dtype)),
                                 .expected = "F32, F16, BF16, Q8_0 or Q4_0"});
}

}  // namespace llm
