// Scores that are no numbers.
#pragma once

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// NaN becomes 0, infinity the largest float, minus infinity the lowest one: which un-bans what was banned
// before it, if only just. transformers: InfNanRemoveLogitsProcessor.
class RemoveInvalidValues : public RowProcessor {
 public:
  std::string_view name() const override { return "remove_invalid_values"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;
};

}  // namespace llm
