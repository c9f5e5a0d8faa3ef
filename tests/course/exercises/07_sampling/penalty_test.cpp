#include "chapters/07_sampling/repetition_penalty.h"
#include "common/tensor/tensor.h"
#include "tests/course/exercises/07_sampling/rows.h"

namespace llm::grading {
namespace {

// A row of six scores after the penalty for a text.
Scores penalized(const LogitsProcessor& penalty, const Ids& ids, Scores scores) {
  const Index V = std::ssize(scores);
  penalty(View<const Token, 2>(ids.data(), {1, std::ssize(ids)}), View<float, 2>(scores.data(), {1, V}));
  return scores;
}

const Scores kScores = {3.0f, -1.0f, 2.0f, 0.5f, -4.0f, 1.0f};
constexpr const char* kPadding =
    "padding was taken for text: the first `ignored` ids are not tokens that somebody said";

TEST_CASE("each step begins anew") {
  const RepetitionPenalty penalty(2.0);
  (void)penalized(penalty, {0, 1, 5}, kScores);
  expect_equal("tokens 1 and 3, after a step with 0 1 5", penalized(penalty, {1, 3}, kScores),
               Scores{3.0f, -2.0f, 2.0f, 0.25f, -4.0f, 1.0f},
               {{{3.0f, -1.0f, 2.0f, 0.25f, -4.0f, 1.0f},
                 "`seen` still held the tokens of the step before: they were passed over. All its bits must "
                 "be false in the end"}});
}

TEST_CASE("a score sinks, whatever its sign") {
  expect_equal(
      "tokens 4, 0 and 1, penalty 2", penalized(RepetitionPenalty(2.0), {4, 0, 1}, kScores),
      Scores{1.5f, -2.0f, 2.0f, 0.5f, -8.0f, 1.0f},
      {{{1.5f, -0.5f, 2.0f, 0.5f, -2.0f, 1.0f},
        "negative scores were divided, too: that brings them nearer to 0, and the token becomes more "
        "probable"},
       {{6.0f, -2.0f, 2.0f, 0.5f, -8.0f, 1.0f}, "positive scores were multiplied: they rise"},
       {{1.5f, -1.0f, 2.0f, 0.5f, -4.0f, 1.0f}, "negative scores stayed as they were"},
       {{1.0f, -3.0f, 2.0f, 0.5f, -6.0f, 1.0f}, "the penalty was subtracted; it is a factor"}});
}

TEST_CASE("once, however often the token occurred") {
  expect_equal(
      "tokens 2 2 4 2 4 5, penalty 2", penalized(RepetitionPenalty(2.0), {2, 2, 4, 2, 4, 5}, kScores),
      Scores{3.0f, -1.0f, 1.0f, 0.5f, -8.0f, 0.5f},
      {{{3.0f, -1.0f, 0.25f, 0.5f, -16.0f, 0.5f},
        "a token was penalised each time it occurred; once is enough: the penalty must not grow with "
        "the text"}});
}

TEST_CASE("padding is no text") {
  expect_equal(
      "three of padding, then 5 and 1", penalized(RepetitionPenalty(2.0, {3}), {0, 0, 0, 5, 1}, kScores),
      Scores{3.0f, -2.0f, 2.0f, 0.5f, -4.0f, 0.5f}, {{{1.5f, -2.0f, 2.0f, 0.5f, -4.0f, 0.5f}, kPadding}});
  expect_equal("two of padding, then 5 and a real 0",
               penalized(RepetitionPenalty(2.0, {2}), {0, 0, 5, 0}, kScores),
               Scores{1.5f, -1.0f, 2.0f, 0.5f, -4.0f, 0.5f},
               {{{3.0f, -1.0f, 2.0f, 0.5f, -4.0f, 0.5f},
                 "a token of the text was taken for padding because it has the same id; what counts is its "
                 "place"}});
  expect_equal("more padding than ids", penalized(RepetitionPenalty(2.0, {9}), {1, 2, 3}, kScores), kScores);
}

TEST_CASE("rows have their own padding") {
  Tensor<Token, 2> ids({2, 4});
  Tensor<float, 2> scores({2, 6});
  for (Index b = 0; b < 2; ++b) {
    for (Index s = 0; s < 4; ++s) ids(b, s) = static_cast<Token>(s);
    std::ranges::copy(kScores, scores[b].begin());
  }
  RepetitionPenalty(2.0, {3, 0})(ids, scores);
  const Scores all(scores.data(), scores.data() + 12);
  expect_equal("padding of 3 and 0 before 0 1 2 3", all,
               Scores{3.0f, -1.0f, 2.0f, 0.25f, -4.0f, 1.0f, 1.5f, -2.0f, 1.0f, 0.25f, -4.0f, 1.0f},
               {{{1.5f, -2.0f, 1.0f, 0.25f, -4.0f, 1.0f, 1.5f, -2.0f, 1.0f, 0.25f, -4.0f, 1.0f}, kPadding}});
}

TEST_CASE("ids outside of the vocabulary are passed over") {
  expect_equal("tokens -1, 6, 99 and 2", penalized(RepetitionPenalty(2.0), {-1, 6, 99, 2}, kScores),
               Scores{3.0f, -1.0f, 1.0f, 0.5f, -4.0f, 1.0f});
}

TEST_CASE("the other way round for the prompt") {
  expect_equal("prompt 0 1, penalty 2, then 2",
               penalized(EncoderRepetitionPenalty(2.0, 2), {0, 1, 2}, kScores),
               Scores{6.0f, -0.5f, 2.0f, 0.5f, -4.0f, 1.0f});
}

}  // namespace
}  // namespace llm::grading
