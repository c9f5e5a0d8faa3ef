// One step of any engine, with a cache or without.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/seams/causal_lm.h"

namespace llm {

// The scores after input_ids, [1, 1, V]: feeds the tokens that the cache's first row does not hold yet, or,
// without a cache, all of them. input_ids: at least one token more than the cache holds.
// prefill_chunk_size: many tokens are read in pieces of this size, where there is a cache.
Logits& feed(CausalLM& model, Cache* past_key_values, std::span<const Token> input_ids,
             std::optional<Index> prefill_chunk_size = {});

// The scores of a row's last kept position, [V], in host memory.
View<const float, 1> last_scores(Logits& logits, Index row);

}  // namespace llm
