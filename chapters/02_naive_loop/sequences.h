// How long a text may get, and how it is returned.
#pragma once

#include <span>
#include <vector>

#include "chapters/02_naive_loop/greedy.h"
#include "common/config/generation_config.h"
#include "common/config/model_config.h"

namespace llm {

// How many tokens may follow: what the config allows, and what is left of the model's length.
// padded_tokens: the prompts' length with padding, which counts for max_length; longest: without.
// Errors: kRange for a prompt that fills the model's length, or max_length not above padded_tokens.
Index new_tokens_limit(const ModelConfig& model, const GenerationConfig& config, Index padded_tokens,
                       Index longest);

// The result as transformers returns it: prompts as they were given (padding included), then the new tokens,
// filled up on the right to one length with pad_token_id, which is by default the first of eos_token_id.
std::vector<std::vector<Token>> to_sequences(std::span<const std::vector<Token>> prompts,
                                             const GreedyResult& result, const GenerationConfig& config);

}  // namespace llm
