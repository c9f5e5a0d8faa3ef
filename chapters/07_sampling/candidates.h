// What the filters and the draw stand on: the tokens that can still be chosen, the k-th best score, the best
// ones in order. Selection instead of sorting: of 151,936 scores a few dozen matter.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "common/tensor/view.h"

namespace llm {

struct Candidate {
  float score = 0;
  Token id = 0;
  double weight = 0;  // exp(score - largest score)
  float key = 0;      // what a filter orders by, where it is not the score
};

// The softmax of a row of scores, banned tokens left out.
struct Distribution {
  std::span<Candidate> candidates = {};  // in the order of their ids; none if the scores make no distribution
  float largest = 0;
  double total = 0;      // of all weights
  bool has_nan = false;  // among the scores

  double probability(const Candidate& candidate) const { return candidate.weight / total; }
  double entropy() const;  // -sum p log p, in nats
};

// scores: [V]. NaN is left out: filters never ban it, so that it is found in the end. If the largest score is
// infinite, or there is none, there are no candidates.
// The candidates are in memory that the thread uses again: valid until its next call.
Distribution distribution_of(View<const float, 1> scores);

// The k-th largest of the scores, k >= 1, counting equal ones one by one; minus infinity if fewer than k
// are larger than that. NaN counts as nothing.
float kth_best(View<const float, 1> scores, Index k);

// An order: the better score first, of equal ones the lower id.
inline bool is_better(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.id < b.id;
}

// Calls visit(candidate) for one after the other in the order of `before` until it returns false, and returns
// how many it accepted: those stand, in order, at the front. Sorts only as far as it gets.
// --8<-- [start:in_order]
template <class Before, class Visit>
std::size_t visit_in_order(std::span<Candidate> candidates, Before before, Visit visit) {
  std::size_t sorted = 0;
  for (std::size_t step = 64; sorted < candidates.size(); step *= 4) {
    const std::size_t end = std::min(candidates.size(), sorted + step);
    const auto at = [&](std::size_t i) { return candidates.begin() + static_cast<std::ptrdiff_t>(i); };
    if (end < candidates.size()) std::nth_element(at(sorted), at(end), candidates.end(), before);
    std::sort(at(sorted), at(end), before);
    for (; sorted < end; ++sorted)
      if (!visit(candidates[sorted])) return sorted;
  }
  return sorted;
}
// --8<-- [end:in_order]

}  // namespace llm
