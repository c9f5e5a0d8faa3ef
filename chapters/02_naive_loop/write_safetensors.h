// Writes a safetensors file of float32 tensors, for Python to read.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/base/types.h"

namespace llm {

struct NamedTensor {
  std::string name;
  std::vector<Index> shape;  // outermost first
  std::vector<float> values;
};

// Replaces the file if there is one. Errors: kIo when it cannot be written.
// Format: 8 bytes with the length of the header, the header as JSON, then the tensors' bytes in its order.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors);

}  // namespace llm
