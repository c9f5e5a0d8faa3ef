#include "chapters/07_sampling/top_h.h"

#include <cmath>

#include "chapters/07_sampling/candidates.h"

namespace llm {

TopH::TopH(double top_h) : top_h_(top_h) { expect_in_range("top_h", top_h); }

void TopH::process(std::span<const Token>, View<float, 1> scores) const {
  constexpr std::size_t kBest = 100;
  const Distribution all = distribution_of(scores);
  std::size_t count = 0;
  const std::size_t n =
      visit_in_order(all.candidates, is_better, [&](const Candidate&) { return count++ < kBest; });
  Distribution best{.candidates = all.candidates.first(n), .largest = all.largest};
  for (const Candidate& candidate : best.candidates) best.total += candidate.weight;

  const auto limit = static_cast<float>(top_h_ * best.entropy());
  double sum = 0;
  std::size_t kept = 0;
  for (; kept < n; ++kept) {
    const double p = best.probability(best.candidates[kept]);
    sum -= p > 0 ? p * std::log(p) : 0;
    if (kept > 0 && (static_cast<float>(p) == 0 || static_cast<float>(sum) > limit)) break;
  }
  for (const Candidate& candidate : all.candidates.subspan(kept)) ban(scores, candidate.id);
}

}  // namespace llm
