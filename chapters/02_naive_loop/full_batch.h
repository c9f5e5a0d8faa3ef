// The batch of a loop without a cache: every token so far, each time.
#pragma once

#include <span>
#include <vector>

#include "common/seams/causal_lm.h"
#include "common/tensor/tensor.h"

namespace llm {

// Owns what a Batch looks at. Rows may differ in length, none may be empty: shorter ones are padded on the
// left. A row's positions count its own tokens from 0, so that padding changes nothing.
class FullBatch {
 public:
  explicit FullBatch(std::span<const std::vector<Token>> rows);
  explicit FullBatch(const std::vector<Token>& row) : FullBatch(std::span(&row, 1)) {}

  Batch batch() const;

 private:
  Tensor<Token, 2> input_ids_;              // [B, T]
  Tensor<Index, 2> position_ids_;           // [B, T]
  Tensor<std::uint8_t, 2> attention_mask_;  // [B, T]
};

}  // namespace llm
