// Top-k: only the k best tokens.
#pragma once

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// Bans what is below the k-th best score. Tokens that equal it all stay, so that there may be more than k.
// transformers: TopKLogitsWarper.
class TopK : public Filter {
 public:
  // k >= 1; at least min_tokens_to_keep tokens stay. Errors: kRange.
  explicit TopK(Index k, Index min_tokens_to_keep = 1);
  std::string_view name() const override { return "top_k"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  Index k_;
};

}  // namespace llm
