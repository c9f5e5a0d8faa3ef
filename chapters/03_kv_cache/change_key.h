// A small experiment: do early tokens still matter once they are in the cache?
#pragma once

#include <vector>

#include "chapters/03_kv_cache/cached_text.h"
#include "common/seams/causal_lm.h"

namespace llm {

// Turns the sign of the key at one position of row 0 in one layer, in every head. Values and all other keys
// stay. It works on any kind of cache: everything from the position on is read, cropped and appended again.
// Errors: kRange for a position or a layer that is not there, or if the layer has lost keys that it needs.
void negate_key(Cache& cache, Index layer, Index position, Index num_key_value_heads, Index head_dim);

// What the next token's scores do when a cached key changes.
struct KeyChange {
  Index position = 0;
  double moved = 0;      // the largest change of a score
  double unchanged = 0;  // the same for a second run with nothing changed: 0
  double largest = 0;    // the largest magnitude of a score
  Token best_before = 0, best_after = 0;
};

// Computes the last cached token once more, with the key at `position` as it is and with its sign turned in
// every layer, and leaves the cache as it was. Errors: kRange unless the position is before the last one.
KeyChange change_key(CausalLM& model, CachedText& text, Index position);

}  // namespace llm
