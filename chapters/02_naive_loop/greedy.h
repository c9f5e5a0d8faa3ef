// The loop of this chapter for many prompts at once: what JSON lines are answered with.
#pragma once

#include <span>
#include <vector>

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

}  // namespace llm
