// Typical sampling: tokens that surprise about as much as is to be expected.
#pragma once

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// A token's surprise is -log p, and the expected one is the entropy H. Takes tokens in the order of
// |-log p - H| until their probabilities add up to typical_p, and with the last one all that deviate as much.
// The best token may be among those that go.
// Meister et al. 2022, "Locally typical sampling". transformers: TypicalLogitsWarper.
class TypicalP : public Filter {
 public:
  // typical_p in (0, 1); at least min_tokens_to_keep tokens stay. Errors: kRange.
  explicit TypicalP(double typical_p, Index min_tokens_to_keep = 1);
  std::string_view name() const override { return "typical_p"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  float typical_p_;
  std::size_t min_tokens_to_keep_;
};

}  // namespace llm
