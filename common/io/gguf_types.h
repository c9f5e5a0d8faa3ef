// The tensor types of GGUF, and the sizes of its metadata types. For the reader only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/io/gguf.h"

namespace llm {

struct GgufTensorType {
  std::uint32_t number;
  std::string_view name;
  Index block_values;
  Index block_bytes;
};

// Nothing for a number that ggml never gave to a type, or took back.
std::optional<GgufTensorType> gguf_tensor_type(std::uint32_t number);

// Bytes of one value; 0 for strings and arrays, whose sizes are in the file.
Index gguf_type_bytes(GgufType type);

}  // namespace llm
