// Top-H: the best tokens within a share of the entropy.
#pragma once

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// Looks at the 100 best tokens only (of equal scores those with the lower ids), makes their probabilities
// add up to 1, and keeps tokens from the best on while the sum of -p log p is at most top_h times the
// entropy; the best one always, and none whose probability is 0 as a float.
// transformers: TopHLogitsWarper.
class TopH : public Filter {
 public:
  // top_h in (0, 1]. Errors: kRange.
  explicit TopH(double top_h);
  std::string_view name() const override { return "top_h"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  double top_h_;
};

}  // namespace llm
