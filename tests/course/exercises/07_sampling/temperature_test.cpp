#include "chapters/07_sampling/temperature.h"

#include "tests/course/exercises/07_sampling/rows.h"

namespace llm::grading {
namespace {

void check(std::string_view what, const Scores& scores, double temperature) {
  const double best = *std::ranges::max_element(scores);
  double total = 0;
  for (const float score : scores) total += std::exp(score - best);
  std::vector<double> right, multiplied, shares, lowered, positive;
  for (const float s : scores) {
    const double score = s;
    right.push_back(score / temperature);
    multiplied.push_back(score * temperature);
    shares.push_back(std::exp(score - best) / total / temperature);
    lowered.push_back((score - best) / temperature);
    positive.push_back(score < 0 ? score : score / temperature);
  }
  expect_close(what, processed(Temperature(temperature), scores), right, 1e-3,
               {{multiplied,
                 "the scores were multiplied by the temperature; they are divided: a small one makes the "
                 "differences larger"},
                {shares,
                 "probabilities were divided by the temperature: once they add up to 1 again nothing has "
                 "changed; it is the scores that are divided"},
                {lowered,
                 "the largest score was subtracted: that belongs into the softmax; the processors that come "
                 "after this one want score / temperature"},
                {positive, "negative scores stayed as they were; all are divided, whatever their sign"}});
}

TEST_CASE("below 1 the differences grow") {
  check("temperature 0.5", {2.0f, 0.5f, -1.25f, 3.5f, -4.0f}, 0.5);
  check("temperature 0.7", {1.0f, -0.5f, 0.25f}, 0.7);
}

TEST_CASE("above 1 they shrink") {
  check("temperature 1.6", {2.0f, 0.5f, -1.25f, 3.5f, -4.0f, 0.0f, 11.0f}, 1.6);
  check("one token", {-3.0f}, 2.0);
}

TEST_CASE("a small temperature makes large scores, but numbers") {
  const Scores scores = processed(Temperature(0.05), {95.0f, 94.5f, -120.0f, 30.0f});
  expect_true("scores near 100 and temperature 0.05: all scores are finite",
              std::ranges::all_of(scores, [](float score) { return std::isfinite(score); }),
              "exp() of a large score is infinite; the scores themselves are divided, no exp() is needed");
  check("scores near 100", {95.0f, 94.5f, -120.0f, 30.0f}, 0.05);
}

TEST_CASE("a banned token stays banned") {
  expect_equal("a banned token, temperature 0.5", processed(Temperature(0.5), {1.0f, kBanned, -2.0f}),
               Scores{2.0f, kBanned, -4.0f});
}

}  // namespace
}  // namespace llm::grading
