#include "chapters/07_sampling/renormalize.h"

#include <cmath>

#include "chapters/07_sampling/candidates.h"

namespace llm {

void log_softmax(View<float, 1> scores) {
  const Distribution distribution = distribution_of(scores);
  const double log_total = std::log(distribution.total);
  for (const Candidate& candidate : distribution.candidates)
    scores[candidate.id] =
        static_cast<float>(static_cast<double>(candidate.score) - distribution.largest - log_total);
}

void RenormalizeLogits::process(std::span<const Token>, View<float, 1> scores) const { log_softmax(scores); }

}  // namespace llm
