// Numbers as small integers that share a scale.
#pragma once

#include <cstdint>
#include <span>

#include "common/base/types.h"

namespace llm {

// Writes values as codes with one scale for all: value is about scale * code, wrong by half a scale at most.
//   scale = largest |value| / max_code,  code = value / scale, rounded to the nearest
// The scale is rounded up to 17 significant bits: then scale * code is exact for codes of 7 bits, and numbers
// that were codes become the same codes and the same scale again.
// codes: as many as values, each in [-max_code, max_code]. max_code: 127 for int8, 7 for int4.
// Returns the scale: 0 if all values are 0 (or too small for a scale), NaN if one is infinite or NaN, so that
// nobody takes the codes for numbers.
float quantize_group(std::span<const float> values, int max_code, std::span<std::int8_t> codes);

// Two codes a byte, the first in the low half, each plus 8 (see KvView). codes: an even number of them.
void pack_int4(std::span<const std::int8_t> codes, std::byte* to);

}  // namespace llm
