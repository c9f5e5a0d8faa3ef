// The loop of this chapter for many prompts at once: what JSON lines are answered with.
#pragma once

#include <span>
#include <vector>

#include "common/config/generation_config.h"
#include "common/seams/causal_lm.h"
#include "common/seams/stopping_criteria.h"

namespace llm {

struct GreedyResult {
  std::vector<std::vector<Token>> new_tokens;  // of each row, the end token included
  std::vector<FinishReason> finish_reason;     // of each row: kEos or kLength
  Index forwards = 0;
  Index positions = 0;   // computed in all forward passes
  double prefill_s = 0;  // the first pass
  double total_s = 0;
};

// Feeds every row whole, again and again, and appends the best token, until each has ended by one of
// eos_token_id or all have max_new_tokens. A row that has ended is not computed any more.
// rows: real tokens, none empty; they may differ in length.
GreedyResult greedy(CausalLM& model, std::vector<std::vector<Token>> rows, Index max_new_tokens,
                    std::span<const Token> eos_token_id);

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
