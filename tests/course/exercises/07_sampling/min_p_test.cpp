#include "chapters/07_sampling/min_p.h"

#include "tests/course/exercises/07_sampling/rows.h"

namespace llm::grading {
namespace {

TEST_CASE("the line is a share of the best token's probability") {
  const Scores scores = scores_for({0.06, 0.4, 0.04, 0.2, 0.3}, 4);
  expect_equal("probabilities 0.06, 0.4, 0.04, 0.2, 0.3 and min_p 0.25", processed(MinP(0.25), scores),
               only(scores, {1, 3, 4}),
               {{only(scores, {1, 4}),
                 "probabilities were compared with min_p itself; the line is min_p times the best token's "
                 "probability, here 0.1"},
                {scores,
                 "scores were compared, not probabilities: a score that is a quarter of the best one says "
                 "nothing"},
                {only(scores, {1}), "only the best token stayed"}});
}

TEST_CASE("where all are alike, all stay") {
  const Scores scores = scores_for(std::vector<double>(300, 1.0 / 300), 1);
  expect_equal("300 equal tokens, min_p 0.5", processed(MinP(0.5), scores), scores,
               {{only(scores, {0}),
                 "probabilities were compared with min_p itself; the line is min_p times the best token's "
                 "probability"}});
}

TEST_CASE("what is on the line stays") {
  const Scores scores = {2.5f, 1.0f, 2.5f, -1.0f, 2.5f};
  expect_equal("three best tokens, min_p 1", processed(MinP(1.0), scores), only(scores, {0, 2, 4}),
               {{only(scores, {0}),
                 "a token on the line was banned: what is below it goes, and with min_p 1 all that equal "
                 "the best stay"}});
  expect_equal("min_p 0", processed(MinP(0.0), scores), scores);
}

TEST_CASE("min_tokens_to_keep tokens stay, however far behind") {
  const Scores scores = scores_for({0.06, 0.4, 0.04, 0.2, 0.3}, 2);
  expect_equal("min_p 0.9, at least 3 tokens", processed(MinP(0.9, 3), scores), only(scores, {1, 3, 4}),
               {{only(scores, {1}), "min_tokens_to_keep was ignored: beams need more than one way to go on"},
                {only(scores, {0, 1, 3, 4}), "one token too many: count is the number of better tokens"}});
  expect_equal("min_p 0.6, at least 1", processed(MinP(0.6), scores), only(scores, {1, 4}),
               {{only(scores, {1}), "only the best token stayed"}});
}

}  // namespace
}  // namespace llm::grading
