#include "chapters/07_sampling/top_p.h"

#include "tests/course/exercises/07_sampling/rows.h"

namespace llm::grading {
namespace {

TEST_CASE("the token that crosses the line stays") {
  const Scores scores = scores_for({0.06, 0.4, 0.04, 0.2, 0.3});
  expect_equal(
      "probabilities 0.06, 0.4, 0.04, 0.2, 0.3 and top_p 0.75", processed(TopP(0.75), scores),
      only(scores, {1, 3, 4}),
      {{only(scores, {1, 4}),
        "the token that crosses the line was banned: 0.4 + 0.3 is less than 0.75, so the third one "
        "belongs to the set"},
       {only(scores, {1}),
        "weights were added, not probabilities: a weight is divided by distribution.total first"},
       {scores,
        "every token stayed: the sum never reaches top_p. Scores can be negative; probabilities are added"},
       {only(scores, {0, 1, 3, 4}),
        "one token too many: the set ends with the token that crosses the line"}});
  const Scores high = scores_for({0.06, 0.4, 0.04, 0.2, 0.3}, 5);
  expect_equal("the same probabilities from scores that are 5 higher", processed(TopP(0.75), high),
               only(high, {1, 3, 4}),
               {{only(high, {1}), "scores were added; they do not add up to anything, probabilities do"}});
}

TEST_CASE("a sum of exactly top_p is enough") {
  const Scores scores = {1.5f, 1.5f, 1.5f, 1.5f};
  expect_equal(
      "four tokens of probability 1/4, top_p 0.5", processed(TopP(0.5), scores), only(scores, {2, 3}),
      {{only(scores, {1, 2, 3}), "one token too many: two of them have reached top_p already, exactly"},
       {only(scores, {3}), "the token that makes the sum exactly top_p was banned"}});
  expect_equal("top_p 0.75", processed(TopP(0.75), scores), only(scores, {1, 2, 3}));
}

TEST_CASE("the best token alone may be enough") {
  const Scores scores = scores_for({0.1, 0.85, 0.05});
  expect_equal("the best has 0.85, top_p 0.3", processed(TopP(0.3), scores), only(scores, {1}));
  expect_equal("top_p 0", processed(TopP(0.0), scores), only(scores, {1}));
  expect_equal("top_p 1", processed(TopP(1.0), scores), scores);
}

TEST_CASE("min_tokens_to_keep tokens stay") {
  const Scores scores = scores_for({0.06, 0.4, 0.04, 0.2, 0.3});
  expect_equal("top_p 0.1, at least 3 tokens", processed(TopP(0.1, 3), scores), only(scores, {1, 3, 4}),
               {{only(scores, {1}), "min_tokens_to_keep was ignored: beams need more than one way to go on"},
                {only(scores, {0, 1, 3, 4}), "one token too many: count is the number of better tokens"}});
}

TEST_CASE("many tokens") {
  Scores scores(500);
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = static_cast<float>((i * 211) % 500) * 0.01f;  // each of 500 scores once
  std::vector<std::pair<float, Token>> order;
  double total = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    order.emplace_back(-scores[i], static_cast<Token>(i));
    total += std::exp(static_cast<double>(scores[i]));
  }
  std::ranges::sort(order);
  Ids kept;
  for (double left = 0.9; left > 0;) {
    const auto& [negative, id] = order[kept.size()];
    left -= std::exp(-static_cast<double>(negative)) / total;
    kept.push_back(id);
  }
  expect_equal("500 tokens, top_p 0.9", processed(TopP(0.9), scores), only(scores, kept));
}

}  // namespace
}  // namespace llm::grading
