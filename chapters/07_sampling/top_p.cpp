#include "chapters/07_sampling/top_p.h"

#include "chapters/07_sampling/candidates.h"

namespace llm {

TopP::TopP(double top_p, Index min_tokens_to_keep)
    : removable_(static_cast<float>(1 - top_p)),
      min_tokens_to_keep_(static_cast<std::size_t>(min_tokens_to_keep)) {
  expect_in_range("top_p", top_p);
}

void TopP::process(std::span<const Token>, View<float, 1> scores) const {
  const Distribution distribution = distribution_of(scores);
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.id > b.id;
  };
  double before = 0;      // weight of the better tokens
  std::size_t count = 0;  // of the better tokens
  const std::size_t kept =
      visit_in_order(distribution.candidates, better, [&](const auto& candidate) -> bool {
        // --8<-- [start:ex07-4]
        const auto rest = static_cast<float>((distribution.total - before) / distribution.total);
        before += candidate.weight;
        return count++ < min_tokens_to_keep_ || rest > removable_;
        // --8<-- [end:ex07-4]
      });
  for (const Candidate& candidate : distribution.candidates.subspan(kept)) ban(scores, candidate.id);
}

}  // namespace llm
