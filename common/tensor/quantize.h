// float32 into the formats that weights can be converted to at load.
#pragma once

#include <cstddef>
#include <span>

#include "common/tensor/dtype.h"

namespace llm {

// F32, BF16, F16, Q8_0 and Q4_0; the other formats can be read only.
bool can_quantize_to(DType dtype);

// Writes row_bytes(dtype, values.size()) bytes to out. F16 and BF16 round to nearest even; Q8_0 and Q4_0 give
// the bytes of the gguf Python package's quantize: the value of largest magnitude of each 32 sets the scale.
// values.size() is a multiple of the format's block (the caller has checked), the values are finite for the
// block formats. Errors: kUnsupported for a format that can be read only.
void quantize_row(DType dtype, std::span<const float> values, std::byte* out);

}  // namespace llm
