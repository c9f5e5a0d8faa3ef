#include "chapters/07_sampling/top_k.h"

#include "tests/course/exercises/07_sampling/rows.h"

namespace llm::grading {
namespace {

constexpr const char* kThresholdBanned =
    "the k-th best was banned, too: what is below its score goes, it stays itself";

// Banned tokens have a score of 0 instead of minus infinity.
Scores zeros(Scores scores) {
  for (float& score : scores) score = score == kBanned ? 0 : score;
  return scores;
}

void check(std::string_view what, const Scores& scores, Index k, const Ids& kept, const Ids& above,
           Mistakes<Scores> more = {}) {
  const Scores right = only(scores, kept);
  more.push_back({only(scores, above), kThresholdBanned});
  more.push_back({zeros(right),
                  "banned tokens got the score 0, which is a score like any other, here better than others; "
                  "e^0 = 1: only minus infinity has probability 0"});
  expect_equal(what, processed(TopK(k), scores), right, more);
}

TEST_CASE("the k best stay") {
  const Scores scores = {0.5f, -1.0f, 4.0f, 2.25f, -3.0f, 3.0f, 1.0f, -0.5f, 2.0f, 0.25f, -2.0f};
  check("k = 4 of 11", scores, 4, {2, 3, 5, 8}, {2, 3, 5});
  check("k = 1", scores, 1, {2}, {});
  check("k = 10", scores, 10, {0, 1, 2, 3, 5, 6, 7, 8, 9, 10}, {0, 1, 2, 3, 5, 6, 7, 8, 9});
  check("negative scores", {-5.0f, -1.0f, -3.0f, -2.0f}, 2, {1, 3}, {1});
}

TEST_CASE("equal scores at the boundary all stay") {
  const Scores scores = {1.0f, 3.0f, 2.0f, 3.5f, 2.0f, 2.0f, 0.0f};
  const char* const exactly =
      "exactly k tokens stayed: which of several equal ones went was up to chance, or to the order of ids; "
      "all that equal the k-th best stay";
  check("k = 3, and three tokens are third", scores, 3, {1, 2, 3, 4, 5}, {1, 3},
        {{only(scores, {1, 2, 3}), exactly},
         {only(scores, {1, 3, 5}), exactly},
         {only(scores, {1, 3, 4}), exactly},
         {only(scores, {0, 1, 2, 3, 4, 5}), "equal scores were counted as one"}});
  check("all are equal", {2.0f, 2.0f, 2.0f}, 1, {0, 1, 2}, {});
}

TEST_CASE("k may be more than there are tokens") {
  check("k = 50 of 3", {1.0f, -2.0f, 0.5f}, 50, {0, 1, 2}, {0, 2});
  check("of 5, three are banned already", {kBanned, 2.0f, kBanned, 1.0f, kBanned}, 4, {1, 3}, {1});
}

TEST_CASE("a NaN is left for the draw to find") {
  const Scores scores = processed(TopK(2), {1.0f, NAN, 3.0f, 2.0f});
  expect_true("the score that is NaN is NaN still", std::isnan(scores[1]),
              "a NaN was banned: the model's mistake would be hidden, and nobody would hear of it");
  expect_equal("the others", Scores{scores[0], scores[2], scores[3]}, Scores{kBanned, 3.0f, 2.0f});
}

}  // namespace
}  // namespace llm::grading
