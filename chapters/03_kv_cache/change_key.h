// A small experiment: do early tokens still matter once they are in the cache?
#pragma once

#include "common/seams/cache.h"

namespace llm {

// Turns the sign of the key at one position of row 0 in one layer, in every head. Values and all other keys
// stay. It works on any kind of cache: everything from the position on is read, cropped and appended again.
// Errors: kRange for a position or a layer that is not there, or if the layer has lost keys that it needs.
void negate_key(Cache& cache, Index layer, Index position, Index num_key_value_heads, Index head_dim);

}  // namespace llm
