#include "chapters/07_sampling/repetition_penalty.h"

#include <algorithm>

#include "common/base/error.h"

namespace llm {
namespace {

// A bit for each token: seen already? All zero between two calls; one a thread, so that nothing is allocated.
thread_local std::vector<bool> seen;

// The first `ignored` ids do not count.
void penalize(std::span<const Token> ids, Index ignored, float penalty, View<float, 1> scores) {
  const auto V = static_cast<std::size_t>(scores.size());
  if (seen.size() < V) seen.resize(V);
  const auto in_vocabulary = [&](Token id) { return id >= 0 && static_cast<std::size_t>(id) < V; };
  // --8<-- [start:ex07-5]
  ids = ids.subspan(std::min(static_cast<std::size_t>(ignored), ids.size()));
  for (const Token id : ids) {
    if (!in_vocabulary(id) || seen[static_cast<std::size_t>(id)]) continue;
    seen[static_cast<std::size_t>(id)] = true;
    float& score = scores[id];
    score = score < 0 ? score * penalty : score / penalty;
  }
  for (const Token id : ids)
    if (in_vocabulary(id)) seen[static_cast<std::size_t>(id)] = false;
  // --8<-- [end:ex07-5]
}

}  // namespace

RepetitionPenalty::RepetitionPenalty(double penalty, std::vector<Index> prompt_ignore_length)
    : penalty_(static_cast<float>(penalty)), prompt_ignore_length_(std::move(prompt_ignore_length)) {
  expect_in_range("repetition_penalty", penalty);
}

void RepetitionPenalty::operator()(View<const Token, 2> input_ids, View<float, 2> scores) const {
  const auto B = static_cast<std::size_t>(scores.shape(0));
  const std::size_t lengths = prompt_ignore_length_.size();
  if (lengths > 1 && lengths != B)
    fail(ErrorCode::kShape, {.where = "repetition_penalty: prompt_ignore_length",
                             .what = "got",
                             .got = std::to_string(lengths) + " numbers",
                             .expected = "one, or one for each of " + std::to_string(B) + " rows"});
  for (std::size_t b = 0; b < B; ++b) {
    const auto row = static_cast<Index>(b);
    const std::span<const Token> ids(input_ids[row].begin(), static_cast<std::size_t>(input_ids.shape(1)));
    const Index ignored = lengths == 0 ? 0 : prompt_ignore_length_[lengths == 1 ? 0 : b];
    penalize(ids, ignored, penalty_, scores[row]);
  }
}

EncoderRepetitionPenalty::EncoderRepetitionPenalty(double penalty, Index prompt_length)
    : penalty_(static_cast<float>(1 / penalty)), prompt_length_(prompt_length) {
  expect_in_range("encoder_repetition_penalty", penalty);
}

void EncoderRepetitionPenalty::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  const auto length = std::min(static_cast<std::size_t>(prompt_length_), input_ids.size());
  penalize(input_ids.first(length), 0, penalty_, scores);
}

}  // namespace llm
