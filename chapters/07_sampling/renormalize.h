// Scores that are log-probabilities.
#pragma once

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// log softmax(scores): the probabilities of what is left add up to 1. The distribution stays the same, so
// that it is the last processor; beam search adds such scores up. transformers: LogitNormalization.
class RenormalizeLogits : public RowProcessor {
 public:
  std::string_view name() const override { return "renormalize_logits"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;
};

// log softmax in place; banned tokens stay banned. Unchanged where there is no distribution.
void log_softmax(View<float, 1> scores);

}  // namespace llm
