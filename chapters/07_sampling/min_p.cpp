#include "chapters/07_sampling/min_p.h"

#include "chapters/07_sampling/candidates.h"

namespace llm {

MinP::MinP(double min_p, Index min_tokens_to_keep)
    : min_p_(static_cast<float>(min_p)), min_tokens_to_keep_(static_cast<std::size_t>(min_tokens_to_keep)) {
  expect_in_range("min_p", min_p);
}

void MinP::process(std::span<const Token>, View<float, 1> scores) const {
  const Distribution distribution = distribution_of(scores);
  std::size_t count = 0;  // of the better tokens
  const std::size_t kept =
      visit_in_order(distribution.candidates, is_better, [&](const auto& candidate) -> bool {
        // --8<-- [start:ex07-3]
        // A weight is the probability as a share of the best token's.
        const auto share = static_cast<float>(candidate.weight);
        return count++ < min_tokens_to_keep_ || share >= min_p_;
        // --8<-- [end:ex07-3]
      });
  for (const Candidate& candidate : distribution.candidates.subspan(kept)) ban(scores, candidate.id);
}

}  // namespace llm
