#include "chapters/07_sampling/candidates.h"

#include <cmath>
#include <functional>

#include "chapters/07_sampling/row_processor.h"

namespace llm {
namespace {

// Memory that filters use for token after token: it grows to what the vocabulary needs and stays. One a
// thread, so that a processor has no state of its own.
thread_local std::vector<Candidate> candidate_memory;
thread_local std::vector<float> score_memory;

// Calls found(i) for each score above the threshold, which `found` may raise, and for NaN. Looks at 32 scores
// at a time, since a processor compares many at once and nearly all are below.
template <class F>
void for_each_above(View<const float, 1> scores, const float& threshold, F found) {
  constexpr Index kBlock = 32;
  const float* const s = scores.begin();
  const Index V = scores.size();
  Index i = 0;
  for (; i + kBlock <= V; i += kBlock) {
    const float limit = threshold;
    int hits = 0;
    for (Index j = 0; j < kBlock; ++j) hits += s[i + j] <= limit ? 0 : 1;
    if (hits == 0) continue;
    for (Index j = 0; j < kBlock; ++j)
      if (!(s[i + j] <= threshold)) found(i + j);
  }
  for (; i < V; ++i)
    if (!(s[i] <= threshold)) found(i);
}

}  // namespace

float kth_best(View<const float, 1> scores, Index k) {
  std::vector<float>& best = score_memory;
  best.clear();
  float threshold = kBanned;
  const auto room = static_cast<std::size_t>(2 * k);
  best.reserve(room);
  for_each_above(scores, threshold, [&](Index i) {
    if (std::isnan(scores[i])) return;
    best.push_back(scores[i]);
    if (best.size() < room) return;
    std::nth_element(best.begin(), best.begin() + (k - 1), best.end(), std::greater<>());
    best.resize(static_cast<std::size_t>(k));
    threshold = best.back();
  });
  if (static_cast<Index>(best.size()) < k) return kBanned;
  std::nth_element(best.begin(), best.begin() + (k - 1), best.end(), std::greater<>());
  return best[static_cast<std::size_t>(k - 1)];
}

// --8<-- [start:distribution]
Distribution distribution_of(View<const float, 1> scores) {
  std::vector<Candidate>& candidates = candidate_memory;
  candidates.clear();
  Distribution result{.largest = kBanned};
  for_each_above(scores, kBanned, [&](Index i) {
    if (std::isnan(scores[i])) {
      result.has_nan = true;
      return;
    }
    candidates.push_back({.score = scores[i], .id = static_cast<Token>(i)});
    result.largest = std::max(result.largest, scores[i]);
  });
  if (!std::isfinite(result.largest)) return result;
  for (Candidate& candidate : candidates) {
    candidate.weight = std::exp(static_cast<double>(candidate.score) - result.largest);
    result.total += candidate.weight;
  }
  result.candidates = candidates;
  return result;
}
// --8<-- [end:distribution]

double Distribution::entropy() const {
  double sum = 0;
  for (const Candidate& candidate : candidates)
    sum += candidate.weight * (static_cast<double>(candidate.score) - largest);
  return std::log(total) - sum / total;
}

}  // namespace llm
