#include "chapters/07_sampling/cutoffs.h"

#include <algorithm>
#include <cmath>

#include "chapters/07_sampling/candidates.h"

namespace llm {
namespace {

void ban_below(float limit, Index min_tokens_to_keep, const Distribution& distribution,
               View<float, 1> scores) {
  const float safe = kth_best(scores, std::min(min_tokens_to_keep, scores.size()));
  for (const Candidate& candidate : distribution.candidates)
    if (static_cast<float>(distribution.probability(candidate)) < limit && candidate.score < safe)
      ban(scores, candidate.id);
}

}  // namespace

EpsilonCutoff::EpsilonCutoff(double epsilon, Index min_tokens_to_keep)
    : epsilon_(static_cast<float>(epsilon)), min_tokens_to_keep_(min_tokens_to_keep) {
  expect_in_range("epsilon_cutoff", epsilon);
}

void EpsilonCutoff::process(std::span<const Token>, View<float, 1> scores) const {
  ban_below(epsilon_, min_tokens_to_keep_, distribution_of(scores), scores);
}

EtaCutoff::EtaCutoff(double epsilon, Index min_tokens_to_keep)
    : epsilon_(epsilon), min_tokens_to_keep_(min_tokens_to_keep) {
  expect_in_range("eta_cutoff", epsilon);
}

void EtaCutoff::process(std::span<const Token>, View<float, 1> scores) const {
  const Distribution distribution = distribution_of(scores);
  const double eta = std::min(epsilon_, std::sqrt(epsilon_) * std::exp(-distribution.entropy()));
  ban_below(static_cast<float>(eta), min_tokens_to_keep_, distribution, scores);
}

}  // namespace llm
