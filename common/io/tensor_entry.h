// A tensor as the header of a file describes it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/types.h"
#include "common/tensor/dtype.h"

namespace llm {

struct TensorEntry {
  std::string name;            // as the file spells it
  std::string dtype_name;      // "BF16", "I64", "IQ4_XS": as the format spells it
  std::optional<DType> dtype;  // nothing for a format that cannot be used as a weight
  std::vector<Index> shape;    // outermost first, [rows, cols] for a matrix
  Index offset = 0;            // of the first byte, from the beginning of the file
  Index bytes = 0;
};

// "[64,32]"
std::string shape_text(std::span<const Index> shape);

}  // namespace llm
