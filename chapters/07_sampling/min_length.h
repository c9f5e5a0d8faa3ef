// No end before the text is long enough.
#pragma once

#include <vector>

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// Bans the end tokens while prompt and new tokens are fewer than min_length, padding included.
// transformers: MinLengthLogitsProcessor.
class MinLength : public RowProcessor {
 public:
  MinLength(Index min_length, std::vector<Token> eos_token_id);
  std::string_view name() const override { return "min_length"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  Index min_length_;
  std::vector<Token> eos_token_id_;
};

// Bans the end tokens while there are fewer than min_new_tokens new tokens.
// transformers: MinNewTokensLengthLogitsProcessor.
class MinNewTokens : public RowProcessor {
 public:
  // prompt_length: tokens of the prompt, padding included.
  MinNewTokens(Index min_new_tokens, Index prompt_length, std::vector<Token> eos_token_id);
  std::string_view name() const override { return "min_new_tokens"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  Index min_new_tokens_, prompt_length_;
  std::vector<Token> eos_token_id_;
};

}  // namespace llm
