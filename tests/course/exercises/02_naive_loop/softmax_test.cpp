#include <numeric>

#include "chapters/02_naive_loop/attention_weights.h"
#include "tests/course/exercises/02_naive_loop/noise.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Weights = std::vector<double>;

constexpr const char* kAllTookPart = "columns outside of `seen` took part: the token sees what it must not";
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// The share of each column is 1 / sum of e^(difference to it). Outside of `seen` the weight is `outside`.
Weights softmax(const std::vector<float>& scores, Range seen, double scale) {
  Weights weights(scores.size(), 0.0);
  for (Index i = seen.begin; i != seen.end; ++i) {
    double sum = 0;
    for (Index j = seen.begin; j != seen.end; ++j)
      sum += std::exp((static_cast<double>(scores[static_cast<std::size_t>(j)]) -
                       static_cast<double>(scores[static_cast<std::size_t>(i)])) *
                      scale);
    weights[static_cast<std::size_t>(i)] = 1 / sum;
  }
  return weights;
}

std::vector<float> by_reader(std::vector<float> scores, Range seen, float scale) {
  masked_softmax({scores.data(), {static_cast<Index>(scores.size())}}, seen, scale);
  return scores;
}

void check(std::string_view what, const std::vector<float>& scores, Range seen, float scale) {
  const Range all{0, static_cast<Index>(scores.size())};
  const Weights right = softmax(scores, seen, scale), among_all = softmax(scores, all, scale);
  Weights scaled_later = softmax(scores, seen, 1), untouched = right, shares_of_all = right;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool in = static_cast<Index>(i) >= seen.begin && static_cast<Index>(i) < seen.end;
    scaled_later[i] *= scale;
    if (in) shares_of_all[i] = among_all[i];
    if (!in) untouched[i] = scores[i];
  }
  expect_close(
      what, by_reader(scores, seen, scale), right, 1e-6,
      {{softmax(scores, seen, 1), "the scale was forgotten: scores are multiplied by it before exp()"},
       {scaled_later, "the weights were multiplied by the scale; it is the scores that are"},
       {among_all, kAllTookPart},
       {shares_of_all, kAllTookPart},
       {untouched, "columns outside of `seen` kept their scores; they must become 0"}});
}

TEST_CASE("weights are shares of e^(score * scale)") {
  std::vector<float> scores(7);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = 3 * noise(1, static_cast<Index>(i));
  check("seven scores, scale 1", scores, {0, 7}, 1.0f);
  check("seven scores, scale 0.3", scores, {0, 7}, 0.3f);
  check("one score", {2.5f}, {0, 1}, 0.5f);
}

TEST_CASE("what is not seen gets nothing") {
  std::vector<float> scores(9);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = 2 * noise(2, static_cast<Index>(i));
  check("columns 2 to 5 of nine", scores, {2, 6}, 0.7f);
  check("the last column of nine", scores, {8, 9}, 0.7f);
  const std::vector<float> poisoned = {kNaN, 1.0f, -1.0f, 0.5f, kNaN};
  expect_close("columns 1 to 3, the others never written", by_reader(poisoned, {1, 4}, 0.5f),
               softmax(poisoned, {1, 4}, 0.5), 1e-6);
}

TEST_CASE("large scores do not overflow") {
  const std::vector<float> weights = by_reader({900.0f, 1000.0f, 998.0f, 990.0f}, {0, 4}, 0.5f);
  expect_true(
      "the weights of scores near 1000 are numbers",
      std::all_of(weights.begin(), weights.end(), [](float weight) { return std::isfinite(weight); }),
      "exp() of a large score is infinite, and inf/inf is no number; subtract the largest score first");
  check("scores near 1000", {900.0f, 1000.0f, 998.0f, 990.0f}, {0, 4}, 0.5f);
  const std::vector<float> low = by_reader({-2000.0f, -2001.0f, 5.0f}, {0, 2}, 1.0f);
  expect_true("the weights of scores near -2000 are numbers",
              std::all_of(low.begin(), low.end(), [](float weight) { return std::isfinite(weight); }),
              "exp() of every score is 0, and 0/0 is no number; subtract the largest score that is seen");
}

TEST_CASE("weights sum to 1") {
  std::vector<float> scores(1000);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = 8 * noise(3, static_cast<Index>(i));
  const std::vector<float> weights = by_reader(scores, {0, 1000}, 0.125f);
  expect_close("the sum of 1000 weights", std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-5);
}

}  // namespace
}  // namespace llm::grading
