#include "chapters/07_sampling/draw.h"

#include "tests/course/exercises/07_sampling/rows.h"

namespace llm::grading {
namespace {

Token drawn(Scores scores, double uniform) { return draw(row_of(scores), uniform); }

Ids drawn(const Scores& scores, const std::vector<double>& uniforms) {
  Ids tokens;
  for (const double uniform : uniforms) tokens.push_back(drawn(scores, uniform));
  return tokens;
}

const double kAlmostOne = std::nextafter(1.0, 0.0);

TEST_CASE("the token at which the cumulative probability passes the number") {
  // Token 0 has the numbers below 0.1, token 2 those up to 0.5, token 3 up to 0.7, token 5 the rest.
  const Scores scores = [] {
    Scores all = scores_for({0.1, 1, 0.4, 0.2, 1, 0.3}, 5);
    all[1] = all[4] = kBanned;
    return all;
  }();
  expect_equal(
      "probabilities 0.1, 0, 0.4, 0.2, 0, 0.3 and the numbers 0, 0.05, 0.15, 0.45, 0.55, 0.65, 0.75, 0.95",
      drawn(scores, {0, 0.05, 0.15, 0.45, 0.55, 0.65, 0.75, 0.95}), Ids{0, 0, 2, 2, 3, 3, 5, 5},
      {{{0, 0, 0, 2, 2, 2, 2, 2},
        "the weights do not add up to 1: the number has to be multiplied by distribution.total, or "
        "the weights divided by it"},
       {{2, 2, 2, 2, 2, 2, 2, 2}, "the best token was taken every time"},
       {{2, 2, 2, 5, 5, 5, 3, 0},
        "the best token came first; the order is that of the ids, so that a small change of a score "
        "moves the borders only a little"},
       {{0, 0, 0, 0, 2, 2, 3, 3}, "it was the token before"}});
  expect_equal("one token", drawn({-5.0f}, {0, 0.7, kAlmostOne}), Ids{0, 0, 0});
}

TEST_CASE("a token of probability 0 is never drawn") {
  expect_equal(
      "scores -1000, 1000, 999 and the number 0", drawn({-1000, 1000, 999}, 0.0), 1,
      {{0,
        "a sum of 0 passed for reaching 0: the sum has to be greater than the number, for which 0 is "
        "possible"}});
  expect_equal("banned, banned, 3", drawn({kBanned, kBanned, 3}, 0.0), 2, {{0, "a banned token was drawn"}});
  const char* const last =
      "the last token was drawn, which has probability 0: it is only the last in the list";
  for (Token n = 1; n <= 40; ++n) {  // for some n the shares add up to a little less than 1
    Scores scores;
    for (Token i = 0; i < n; ++i) scores.push_back(-0.37f * static_cast<float>(i));
    scores.push_back(-1000);
    expect_equal("a token of probability 0 is the last, and the number as near to 1 as can be",
                 drawn(scores, kAlmostOne), n - 1,
                 {{n, last}, {n == 1 ? n : 0, "behind the last token it went on at token 0"}});
  }
  expect_equal("0, -1, banned", drawn({0, -1, kBanned}, kAlmostOne), 1, {{2, last}});
}

TEST_CASE("many small probabilities add up") {
  constexpr std::size_t kMany = 100000;
  Scores scores(kMany + 1, -18.5f);
  scores[0] = 0;
  const double weight = std::exp(-18.5), total = 1 + static_cast<double>(kMany) * weight;
  const char* const lost =
      "the sum is a float: near 1 it does not feel a probability of 0.00000001, so that it never passes the "
      "number. Add up in double";
  for (const Token id : {30000, 77777}) {
    const double uniform = (1 + (static_cast<double>(id) - 0.5) * weight) / total;
    expect_equal("one likely token and 100,000 unlikely ones", drawn(scores, uniform), id,
                 {{static_cast<Token>(kMany), lost}, {0, lost}});
  }
}

TEST_CASE("no distribution, no token") {
  const char* const silent =
      "a token was drawn where there is no distribution, as if the model had meant it; whoever asks has to "
      "hear "
      "of it";
  expect_error(
      "a NaN among the scores", ErrorCode::kRange,
      [] {
        (void)drawn({1, NAN, 2}, 0.1);
      },
      silent);
  expect_error(
      "all tokens are banned", ErrorCode::kRange,
      [] {
        (void)drawn({kBanned, kBanned}, 0.5);
      },
      silent);
  expect_error(
      "an infinite score", ErrorCode::kRange,
      [] {
        (void)drawn({1, INFINITY, 2}, 0.1);
      },
      silent);
}

}  // namespace
}  // namespace llm::grading
