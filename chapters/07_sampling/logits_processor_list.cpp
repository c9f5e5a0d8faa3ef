#include "chapters/07_sampling/logits_processor_list.h"

#include <algorithm>
#include <cmath>

#include "chapters/07_sampling/row_processor.h"
#include "common/base/error.h"

namespace llm {
namespace {

constexpr float kLargest = std::numeric_limits<float>::max();

// Whether a token can be drawn: no score is NaN or infinite, and one is more than minus infinity. Counting
// instead of leaving early: the compiler compares many scores at once.
bool is_distribution(View<const float, 1> scores) {
  const float* const s = scores.begin();
  std::int32_t fine = 0, possible = 0;
  for (Index v = 0; v < scores.size(); ++v) {
    fine += s[v] <= kLargest ? 1 : 0;  // false for NaN
    possible += s[v] >= -kLargest ? 1 : 0;
  }
  return fine == scores.size() && possible > 0;
}

// The first row without a distribution, or -1.
Index first_troubled_row(View<const float, 2> scores) {
  for (Index b = 0; b < scores.shape(0); ++b)
    if (!is_distribution(scores[b])) return b;
  return -1;
}

void watch(const LogitsProcessor& processor, View<const Token, 2> input_ids, View<float, 2> scores,
           Observer& observer) {
  Tensor<float, 2> before(scores.shape());
  for (Index b = 0; b < scores.shape(0); ++b) std::ranges::copy(scores[b], before[b].begin());
  processor(input_ids, scores);
  observer.on_processor(processor.name(), before, scores);
}

}  // namespace

std::string trouble_of(View<const float, 1> scores) {
  if (is_distribution(scores)) return {};
  for (Index v = 0; v < scores.size(); ++v)
    if (!(scores[v] <= kLargest))
      return "the score of token " + std::to_string(v) + (std::isnan(scores[v]) ? " is NaN" : " is infinite");
  return "every token is banned";
}

void LogitsProcessorList::operator()(View<const Token, 2> input_ids, View<float, 2> scores) const {
  for (const auto& processor : processors_) (*processor)(input_ids, scores);
}

void LogitsProcessorList::run(View<const Token, 2> input_ids, View<float, 2> scores, Observer* observer,
                              Index step) const {
  std::string_view culprit = "the model";
  std::string trouble;
  Index row = -1;
  // Trouble may be passing: remove_invalid_values is there to end it. What began it is remembered.
  const auto look = [&](std::string_view name) {
    const bool was_fine = row < 0;
    row = first_troubled_row(scores);
    if (row < 0 || !was_fine) return;
    culprit = name;
    trouble = trouble_of(scores[row]);
  };
  look(culprit);
  if (observer != nullptr) observer->on_logits(step, scores);
  for (const auto& processor : processors_) {
    if (observer != nullptr) {
      watch(*processor, input_ids, scores, *observer);
    } else {
      (*processor)(input_ids, scores);
    }
    const bool is_filter = dynamic_cast<const Filter*>(processor.get()) != nullptr;
    if (!is_filter) look(processor->name());  // a filter makes no trouble, and ends none
  }
  if (row >= 0)
    fail(ErrorCode::kRange, {.where = std::string(culprit) + ": row " + std::to_string(row),
                             .what = trouble + ", so no token can be chosen"});
}

}  // namespace llm
