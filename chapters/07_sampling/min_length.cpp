#include "chapters/07_sampling/min_length.h"

namespace llm {

MinLength::MinLength(Index min_length, std::vector<Token> eos_token_id)
    : min_length_(min_length), eos_token_id_(std::move(eos_token_id)) {
  expect_in_range("min_length", static_cast<double>(min_length));
}

void MinLength::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  if (static_cast<Index>(input_ids.size()) >= min_length_) return;
  for (const Token id : eos_token_id_) ban(scores, id);
}

MinNewTokens::MinNewTokens(Index min_new_tokens, Index prompt_length, std::vector<Token> eos_token_id)
    : min_new_tokens_(min_new_tokens), prompt_length_(prompt_length), eos_token_id_(std::move(eos_token_id)) {
  expect_in_range("min_new_tokens", static_cast<double>(min_new_tokens));
}

void MinNewTokens::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  if (static_cast<Index>(input_ids.size()) - prompt_length_ >= min_new_tokens_) return;
  for (const Token id : eos_token_id_) ban(scores, id);
}

}  // namespace llm
