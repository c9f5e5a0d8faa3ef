// The loop of this chapter for many prompts at once: what JSON lines are answered with.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "chapters/02_naive_loop/greedy.h"
#include "common/seams/causal_lm.h"

namespace llm {

// Appends the best token to each row until it has ended by one of eos_token_id or has max_new_tokens. Each
// token is computed once; after the last one there is no forward pass. A row that has ended leaves the batch:
// it costs nothing more, and its keys stay in the cache as they are.
// rows: row b holds the tokens that row b of the cache does not hold yet, at least one; they may differ in
// length. past_key_values: a cache of the model with at least as many rows.
GreedyResult cached_greedy(CausalLM& model, Cache& past_key_values, std::span<const std::vector<Token>> rows,
                           Index max_new_tokens, std::span<const Token> eos_token_id,
                           std::optional<Index> prefill_chunk_size = {});

}  // namespace llm
