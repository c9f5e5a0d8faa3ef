#include "chapters/02_naive_loop/attention_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace llm {

Range visible_keys(Index oldest, Index index, std::optional<Index> window) {
  // --8<-- [start:ex02-4]
  Range seen{oldest, index + 1};
  if (window) seen.begin = std::max(oldest, index + 1 - *window);
  return seen;
  // --8<-- [end:ex02-4]
}

void masked_softmax(View<float, 1> scores, Range seen, float scale) {
  float* s = scores.begin();
  // --8<-- [start:ex02-5]
  float largest = -std::numeric_limits<float>::infinity();
  for (Index i = seen.begin; i < seen.end; ++i) largest = std::max(largest, s[i]);
  double sum = 0;
  for (Index i = seen.begin; i < seen.end; ++i) {
    s[i] = std::exp((s[i] - largest) * scale);
    sum += s[i];
  }
  const auto share = static_cast<float>(1 / sum);
  for (Index i = seen.begin; i < seen.end; ++i) s[i] *= share;
  std::fill(s, s + seen.begin, 0.0f);
  std::fill(s + seen.end, s + scores.size(), 0.0f);
  // --8<-- [end:ex02-5]
}

}  // namespace llm
