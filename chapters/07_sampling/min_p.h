// Min-p: tokens that are not too far behind the best one.
#pragma once

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// Bans tokens whose probability is below min_p times that of the best token.
// Nguyen et al. 2024, "Turning up the heat: min-p sampling". transformers: MinPLogitsWarper.
class MinP : public Filter {
 public:
  // min_p in [0, 1]; at least min_tokens_to_keep tokens stay, the lower ids of equal ones. Errors: kRange.
  explicit MinP(double min_p, Index min_tokens_to_keep = 1);
  std::string_view name() const override { return "min_p"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  float min_p_;
  std::size_t min_tokens_to_keep_;
};

}  // namespace llm
