// Top-p, nucleus sampling: the best tokens that together are probable enough.
#pragma once

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// Keeps the smallest set of best tokens whose probabilities add up to top_p: the token that crosses the line
// is in it. Of equal scores at the boundary those with the higher ids stay. transformers removes from the
// worst token upwards, while what is removed adds up to 1 - top_p at most, and of equal scores the lower ids
// first; that is so up to 16 scores, beyond which its sort leaves their order open.
// Holtzman et al. 2020, "The curious case of neural text degeneration". transformers: TopPLogitsWarper.
class TopP : public Filter {
 public:
  // top_p in [0, 1]; at least min_tokens_to_keep tokens stay. Errors: kRange.
  explicit TopP(double top_p, Index min_tokens_to_keep = 1);
  std::string_view name() const override { return "top_p"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  float removable_;  // 1 - top_p
  std::size_t min_tokens_to_keep_;
};

}  // namespace llm
