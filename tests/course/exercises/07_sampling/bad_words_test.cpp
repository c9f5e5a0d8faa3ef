#include "chapters/07_sampling/sequence_bias.h"
#include "tests/course/exercises/07_sampling/rows.h"

namespace llm::grading {
namespace {

constexpr const char* kAlways =
    "the last token was banned although the others are not there; by itself it is a token like any other";

Ids banned(const std::vector<Ids>& words, const Ids& text) { return banned_by(BadWords(words, {}), text); }

TEST_CASE("the last token, where all the others have just come") {
  expect_equal(
      "7 8 9 after 1 7 8", banned({{7, 8, 9}}, {1, 7, 8}), Ids{9},
      {{{}, "the last token of the word was expected in the text already; it is what would come next"}});
  expect_equal("7 8 9 after 1 2 3", banned({{7, 8, 9}}, {1, 2, 3}), Ids{}, {{{9}, kAlways}});
}

TEST_CASE("not where only the nearest of them has come") {
  expect_equal(
      "7 8 9 after 1 5 8", banned({{7, 8, 9}}, {1, 5, 8}), Ids{},
      {{{9}, "only the token just before was compared; all the others of the word have to be there"}});
  expect_equal("7 8 9 after 1 8 7", banned({{7, 8, 9}}, {1, 8, 7}), Ids{},
               {{{9}, "the order of the tokens was left out of account"}});
}

TEST_CASE("not where they came long ago") {
  expect_equal("7 8 9 after 7 8 1", banned({{7, 8, 9}}, {7, 8, 1}), Ids{},
               {{{9}, "the beginning was found somewhere in the text; it has to be the end of it"}});
  expect_equal("7 8 9 after 7 1 8", banned({{7, 8, 9}}, {7, 1, 8}), Ids{},
               {{{9}, "the tokens of the word have to follow each other"}});
}

TEST_CASE("a text as short as can be") {
  expect_equal("7 8 9 after 7 8 and nothing before", banned({{7, 8, 9}}, {7, 8}), Ids{9},
               {{{}, "the text is just long enough: a word of three needs two tokens before"}});
  expect_equal("7 8 9 after 8", banned({{7, 8, 9}}, {8}), Ids{}, {{{9}, kAlways}});
  expect_equal("9 9 9 after 9", banned({{9, 9, 9}}, {9}), Ids{});
}

TEST_CASE("a word of one token, always") {
  expect_equal("4 after 1 2", banned({{4}}, {1, 2}), Ids{4},
               {{{}, "nothing has to come before a word of one token: it is banned always"}});
  expect_equal("4 before any text", banned({{4}}, {}), Ids{4});
}

TEST_CASE("words that overlap") {
  expect_equal("1 1 2 and 1 2 3 and 2 5 and 3 6 after 1 1 2",
               banned({{1, 1, 2}, {1, 2, 3}, {2, 5}, {3, 6}}, {1, 1, 2}), Ids{3, 5});
  expect_equal("1 1 2 and 1 2 3 after 1 1", banned({{1, 1, 2}, {1, 2, 3}}, {1, 1}), Ids{2});
}

TEST_CASE("a bias of several tokens") {
  const SequenceBiasProcessor bias({{{7, 8}, -2.0}, {{5, 8}, 4.0}, {{6, 7, 8}, 0.5}, {{3}, 1.0}});
  expect_equal("after 6 7", processed(bias, Scores(9, 1.5f), {6, 7}),
               Scores{1.5f, 1.5f, 1.5f, 2.5f, 1.5f, 1.5f, 1.5f, 1.5f, 0.0f});
}

}  // namespace
}  // namespace llm::grading
