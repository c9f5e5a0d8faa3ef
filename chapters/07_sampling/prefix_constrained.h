// The text so far decides which tokens may come next: for texts that must follow a grammar.
#pragma once

#include <functional>
#include <vector>

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// The tokens that may follow. prompt: the number of the prompt in the batch; input_ids: [S], the row so far.
using PrefixAllowedTokens = std::function<std::vector<Token>(Index prompt, std::span<const Token> input_ids)>;

// Bans all others. If all allowed tokens of every beam of a prompt are banned already, they are forced with a
// score of 0, so that the constraint holds. transformers: PrefixConstrainedLogitsProcessor.
class PrefixConstrained : public LogitsProcessor {
 public:
  // num_beams: rows a prompt.
  explicit PrefixConstrained(PrefixAllowedTokens allowed, Index num_beams = 1)
      : allowed_(std::move(allowed)), num_beams_(num_beams) {}
  std::string_view name() const override { return "prefix_allowed_tokens_fn"; }
  // Errors: kUsage if no token is allowed, kRange for one outside the vocabulary.
  void operator()(View<const Token, 2> input_ids, View<float, 2> scores) const override;

 private:
  PrefixAllowedTokens allowed_;
  Index num_beams_;
};

}  // namespace llm
