#include "chapters/02_naive_loop/host_logits.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Token best(const std::vector<float>& scores) {
  return argmax({scores.data(), {static_cast<Index>(scores.size())}}, "test");
}

void expect_best(std::string_view what, const std::vector<float>& scores, Token right, Token of_equals,
                 Token from_zero) {
  expect_equal<Token>(what, best(scores), right,
                      {{of_equals, "of equal scores the last was taken; the lowest id wins"},
                       {from_zero,
                        "the search began with a score of 0, which no negative score beats; begin with "
                        "the first one"}});
}

TEST_CASE("the largest score") {
  expect_best("the best of five", {0.5f, -2.0f, 3.0f, 2.5f, 1.0f}, 2, 2, 2);
  expect_best("the best is the first", {9.0f, 8.0f}, 0, 0, 0);
  expect_best("the best is the last", {-1.0f, 0.25f, 0.75f}, 2, 2, 2);
  expect_best("a single one", {-4.0f}, 0, 0, 0);
}

TEST_CASE("of equal scores the lowest id") {
  expect_best("two are best", {1.0f, 7.0f, 3.0f, 7.0f}, 1, 3, 1);
  expect_best("all are equal", {2.0f, 2.0f, 2.0f}, 0, 2, 0);
  expect_best("0 and -0", {-1.0f, -0.0f, 0.0f}, 1, 2, 0);
}

TEST_CASE("scores may all be negative, or infinite") {
  expect_best("all are negative", {-5.0f, -3.0f, -4.0f}, 1, 1, 0);
  expect_best("all but one are masked", {-kInf, -kInf, -1e30f, -kInf}, 2, 2, 0);
  expect_best("infinity", {1.0f, kInf, 3e38f}, 1, 1, 1);
}

TEST_CASE("a score that is not a number is an error") {
  const std::string accepted =
      "NaN was let through: it compares false with everything, and the answer would be an accident";
  expect_error(
      "NaN among others", ErrorCode::kRange,
      [] {
        best({1.0f, kNaN, 2.0f});
      },
      accepted);
  expect_error(
      "NaN at the beginning", ErrorCode::kRange,
      [] {
        best({kNaN, 1.0f});
      },
      accepted);
  expect_error(
      "NaN behind the best", ErrorCode::kRange,
      [] {
        best({5.0f, 1.0f, kNaN});
      },
      accepted);
}

}  // namespace
}  // namespace llm::grading
