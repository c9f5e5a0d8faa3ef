// Keys and values that say which token, head and channel they belong to.
#pragma once

#include <vector>

#include "common/seams/cache.h"
#include "common/tensor/tensor.h"
#include "tests/common/seams/kv_values.h"

namespace llm::test {

// Exact in every float format up to token 15, in float32 always.
inline float numbered_value(bool value, Index token, Index head, Index d) {
  return static_cast<float>(token * 16 + head * 8 + d) + (value ? 0.5f : 0.0f);
}

// Appends tokens [first, first + count) to a row.
inline void append_numbered(CacheLayer& layer, Index row, Index first, Index count, Index KH = 2,
                            Index Dh = 4) {
  Tensor<float, 3> keys({count, KH, Dh}), values({count, KH, Dh});
  for (Index i = 0; i < count; ++i)
    for (Index head = 0; head < KH; ++head)
      for (Index d = 0; d < Dh; ++d) {
        keys(i, head, d) = numbered_value(false, first + i, head, d);
        values(i, head, d) = numbered_value(true, first + i, head, d);
      }
  const RowTokens tokens{.row = row, .begin = 0, .count = count};
  layer.update(keys.view(), values.view(), {&tokens, 1});
}

// Whether the blocks are the tokens of their positions, without a gap, up to `length`.
inline bool holds_numbered(const CacheLayer& layer, Index row, Index length, Index KH = 2, Index Dh = 4) {
  const auto blocks = layer.blocks(row);
  if (layer.get_seq_length(row) != length) return false;
  if (blocks.empty()) return true;  // ask first_stored() whether that is enough
  Index next = blocks.front().first_position;
  for (const KvBlock& block : blocks) {
    if (block.first_position != next || block.length < 1) return false;
    for (Index i = 0; i < block.length; ++i, ++next)
      for (Index head = 0; head < KH; ++head)
        for (Index d = 0; d < Dh; ++d)
          if (!(kv_value(block.keys, head, i, d) == numbered_value(false, next, head, d) &&
                kv_value(block.values, head, i, d) == numbered_value(true, next, head, d)))
            return false;
  }
  return next == length;
}

inline Index first_stored(const CacheLayer& layer, Index row) {
  return layer.blocks(row).empty() ? layer.get_seq_length(row) : layer.blocks(row).front().first_position;
}

}  // namespace llm::test
