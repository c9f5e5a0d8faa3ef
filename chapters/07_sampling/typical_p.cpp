#include "chapters/07_sampling/typical_p.h"

#include <cmath>

#include "chapters/07_sampling/candidates.h"

namespace llm {

TypicalP::TypicalP(double typical_p, Index min_tokens_to_keep)
    : typical_p_(static_cast<float>(typical_p)),
      min_tokens_to_keep_(static_cast<std::size_t>(min_tokens_to_keep)) {
  expect_in_range("typical_p", typical_p);
}

void TypicalP::process(std::span<const Token>, View<float, 1> scores) const {
  const Distribution distribution = distribution_of(scores);
  if (distribution.candidates.empty()) return;
  const auto entropy = static_cast<float>(distribution.entropy());
  const double log_total = std::log(distribution.total) + distribution.largest;
  for (Candidate& candidate : distribution.candidates)
    candidate.key = std::abs(static_cast<float>(log_total - candidate.score) - entropy);

  const auto more_typical = [](const Candidate& a, const Candidate& b) {
    return a.key != b.key ? a.key < b.key : a.id < b.id;
  };
  double sum = 0;  // weight up to and with this token
  std::size_t count = 0;
  float last = INFINITY;  // the deviation of the token that completes typical_p
  const std::size_t kept =
      visit_in_order(distribution.candidates, more_typical, [&](const Candidate& candidate) {
        if (candidate.key > last && count >= min_tokens_to_keep_) return false;
        ++count;
        sum += candidate.weight;
        if (std::isinf(last) && static_cast<float>(sum / distribution.total) >= typical_p_)
          last = candidate.key;
        return true;
      });
  for (const Candidate& candidate : distribution.candidates.subspan(kept)) ban(scores, candidate.id);
}

}  // namespace llm
