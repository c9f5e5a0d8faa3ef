// Memory for intermediate results, kept from one forward pass to the next.
#pragma once

#include <algorithm>
#include <limits>

#include "common/tensor/tensor.h"
#include "common/tensor/view.h"

namespace llm {

// Grows when a pass needs more than any pass before, by half at least, and never shrinks: a loop of equal
// passes allocates nothing, one of growing passes rarely.
class Buffer {
 public:
  // A [rows, cols] matrix with any contents, valid until the next call.
  View<float, 2> matrix(Index rows, Index cols) {
    const Index needed = rows * cols;
    if (needed > data_.size()) data_ = Tensor<float, 1>({std::max(needed, data_.size() * 3 / 2)});
    return {data_.data(), {rows, cols}};
  }

  // Fills the memory with NaN. What a pass reads before it wrote it then shows in its result.
  void poison() { data_.fill(std::numeric_limits<float>::quiet_NaN()); }

  Index bytes() const { return data_.bytes(); }

 private:
  Tensor<float, 1> data_;
};

}  // namespace llm
