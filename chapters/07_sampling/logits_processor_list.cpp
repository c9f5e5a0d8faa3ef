#include "chapters/07_sampling/logits_processor_list.h"

#include <algorithm>
#include <cmath>

#include "chapters/07_sampling/row_processor.h"

namespace llm {
namespace {

// The largest score; NaN if there is one. In a few accumulators, so that the compiler can use wide registers.
float largest_or_nan(View<const float, 1> scores) {
  constexpr Index kLanes = 32;
  float best[kLanes], broken[kLanes] = {};
  std::fill_n(best, kLanes, kBanned);
  const float* const s = scores.begin();
  const Index V = scores.size();
  Index i = 0;
  for (; i + kLanes <= V; i += kLanes) {
    for (Index j = 0; j < kLanes; ++j) {
      best[j] = s[i + j] > best[j] ? s[i + j] : best[j];
      broken[j] = s[i + j] == s[i + j] ? broken[j] : 1.0f;  // NaN is not equal to itself
    }
  }
  for (; i < V; ++i) {
    best[0] = s[i] > best[0] ? s[i] : best[0];
    broken[0] = s[i] == s[i] ? broken[0] : 1.0f;
  }
  if (*std::max_element(broken, broken + kLanes) > 0) return std::numeric_limits<float>::quiet_NaN();
  return *std::max_element(best, best + kLanes);
}

// The first row without a distribution, or -1.
Index first_troubled_row(View<const float, 2> scores) {
  for (Index b = 0; b < scores.shape(0); ++b)
    if (!std::isfinite(largest_or_nan(scores[b]))) return b;
  return -1;
}

}  // namespace

std::string trouble_of(View<const float, 1> scores) {
  const float largest = largest_or_nan(scores);
  if (std::isfinite(largest)) return {};
  if (largest == kBanned) return "every token is banned";
  for (Index v = 0; v < scores.size(); ++v)
    if (!(scores[v] < std::numeric_limits<float>::infinity()))
      return "the score of token " + std::to_string(v) + (std::isnan(scores[v]) ? " is NaN" : " is infinite");
  return {};
}

void LogitsProcessorList::operator()(View<const Token, 2> input_ids, View<float, 2> scores) const {
  for (const auto& processor : processors_) (*processor)(input_ids, scores);
}

void LogitsProcessorList::run(View<const Token, 2> input_ids, View<float, 2> scores, Observer* observer,
                              Index step) const {
  Tensor<float, 2> before;
  if (observer != nullptr) {
    observer->on_logits(step, scores);
    before = Tensor<float, 2>(scores.shape());
  }
  std::string culprit = "the model", message;
  Index row = first_troubled_row(scores);
  if (row >= 0) message = trouble_of(scores[row]);
  for (const auto& processor : processors_) {
    if (observer != nullptr)
      for (Index b = 0; b < scores.shape(0); ++b) std::ranges::copy(scores[b], before[b].begin());
    (*processor)(input_ids, scores);
    if (observer != nullptr) observer->on_processor(processor->name(), before, scores);
    // Trouble may be passing: remove_invalid_values is there to end it. What began it is remembered.
    const bool was_fine = row < 0;
    row = first_troubled_row(scores);
    if (row >= 0 && was_fine) {
      culprit = processor->name();
      message = trouble_of(scores[row]);
    }
  }
  if (row >= 0)
    fail(ErrorCode::kRange, {.where = culprit + ": row " + std::to_string(row),
                             .what = message + ", so no token can be chosen"});
}

}  // namespace llm
