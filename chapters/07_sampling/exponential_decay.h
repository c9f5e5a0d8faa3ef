// An end that grows more probable, instead of a text that is cut off.
#pragma once

#include <vector>

#include "chapters/07_sampling/row_processor.h"
#include "common/config/generation_config.h"

namespace llm {

// After more than `start` new tokens each end token's score rises by |score| * (factor^(new - start) - 1).
// A banned end token stays banned. transformers: ExponentialDecayLengthPenalty.
class ExponentialDecayLengthPenalty : public RowProcessor {
 public:
  // prompt_length: tokens of the prompt, padding included. Errors: kRange unless start >= 0 and factor > 0.
  ExponentialDecayLengthPenalty(ExponentialDecay decay, Index prompt_length, std::vector<Token> eos_token_id);
  std::string_view name() const override { return "exponential_decay_length_penalty"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  ExponentialDecay decay_;
  Index prompt_length_;
  std::vector<Token> eos_token_id_;  // each once
};

}  // namespace llm
