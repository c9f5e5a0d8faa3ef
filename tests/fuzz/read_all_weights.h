// Touches what a checkpoint holds, as a model would.
#pragma once

#include <vector>

#include "common/base/error.h"
#include "common/io/checkpoint.h"
#include "common/tensor/weight.h"

namespace llm {

// Asks for every tensor by its own shape and reads its first and last row. Tensors that are no weights give
// an Error, which is fine.
inline void read_all_weights(Checkpoint& checkpoint) {
  for (const Checkpoint::Entry& entry : checkpoint.entries()) {
    const std::vector<Index>& shape = entry.tensor.shape;
    if (shape.empty() || shape.size() > 2 || entry.tensor.bytes == 0) continue;
    try {
      const Weight weight = shape.size() == 2 ? checkpoint.matrix(entry.tensor.name, shape[0], shape[1])
                                              : checkpoint.vector(entry.tensor.name, shape[0]);
      std::vector<float> row(static_cast<std::size_t>(weight.cols));
      dequantize_row(weight, 0, row);
      dequantize_row(weight, weight.rows - 1, row);
    } catch (const Error&) {
    }
  }
}

}  // namespace llm
