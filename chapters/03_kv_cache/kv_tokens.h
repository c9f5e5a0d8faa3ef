// Reading a cache back: the tokens of a row as float32, in the shape in which they were appended.
#pragma once

#include "common/seams/cache.h"
#include "common/tensor/tensor.h"

namespace llm {

struct KvTokens {
  Index first_position = 0;
  Tensor<float, 3> keys, values;  // [N, KH, Dh]
};

// What a layer stores of a row from a position on, in whatever format. A sliding layer has lost the oldest
// tokens: first_position says where what is left begins. first: 0 to the length of the row.
KvTokens read_tokens(const CacheLayer& layer, Index row, Index first, Index num_key_value_heads,
                     Index head_dim);

}  // namespace llm
