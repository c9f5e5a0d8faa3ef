// Tokens with numbers, to see which of them a ring shows.
#pragma once

#include <cmath>

#include "chapters/04_preallocated_cache/sliding_window_layer.h"
#include "tests/course/exercises/kv_reading.h"

namespace llm::grading {

inline constexpr Index kHeads = 2, kDim = 3;
inline constexpr KvShape kShape = {kHeads, kDim, KvFormat::kF32};

// The number that says which one it is.
inline float numbered(Index token, Index head, Index d, bool value) {
  return static_cast<float>(100 * token + 10 * head + d) + (value ? 0.5f : 0.0f);
}

// Appends `count` tokens that are numbered on.
inline void append(RingRow& row, Index count) {
  Tensor<float, 3> keys({count, kHeads, kDim}), values({count, kHeads, kDim});
  for (Index i = 0; i < count; ++i)
    for (Index head = 0; head < kHeads; ++head)
      for (Index d = 0; d < kDim; ++d) {
        keys(i, head, d) = numbered(row.length() + i, head, d, false);
        values(i, head, d) = numbered(row.length() + i, head, d, true);
      }
  row.reserve(count);
  row.append(keys, values, {.row = 0, .begin = 0, .count = count});
}

// The tokens in the order in which attention reads them; -1 for a slot that holds none, or not a whole one.
inline std::vector<Index> tokens_shown(const RingRow& row) {
  std::vector<Index> tokens;
  for (const KvBlock& block : row.blocks()) {
    const Tensor<float, 3> keys = shown_numbers(block.keys, kHeads, block.length, kDim);
    const Tensor<float, 3> values = shown_numbers(block.values, kHeads, block.length, kDim);
    for (Index i = 0; i < block.length; ++i) {
      const float first = keys(0, i, 0);
      Index token = std::isnan(first) ? -1 : static_cast<Index>(first) / 100;
      for (Index head = 0; head < kHeads; ++head)
        for (Index d = 0; d < kDim; ++d)
          if (!(keys(head, i, d) == numbered(token, head, d, false) &&
                values(head, i, d) == numbered(token, head, d, true)))
            token = -1;
      tokens.push_back(token);
    }
  }
  return tokens;
}

// The positions that the blocks claim for them.
inline std::vector<Index> positions_shown(const RingRow& row) {
  std::vector<Index> positions;
  for (const KvBlock& block : row.blocks())
    for (Index i = 0; i < block.length; ++i) positions.push_back(block.first_position + i);
  return positions;
}

}  // namespace llm::grading
