#include "chapters/07_sampling/no_repeat_ngram.h"
#include "tests/course/exercises/07_sampling/rows.h"

namespace llm::grading {
namespace {

TEST_CASE("every token that came after the same beginning") {
  expect_equal(
      "2 1 7 1 2 3 5 2 6 1 2 4 1 2, n = 3",
      banned_by(NoRepeatNgram(3), {2, 1, 7, 1, 2, 3, 5, 2, 6, 1, 2, 4, 1, 2}), Ids{3, 4},
      {{{3}, "only the first place was found; 1 2 came twice before, and both times something followed"},
       {{4}, "only the last place was found; 1 2 came twice before, and both times something followed"},
       {{3, 4, 6}, "the beginning was one token too short: n - 1 tokens, here 1 2"},
       {{}, "nothing is banned: the beginning is n - 1 tokens; with n it has the next one already"},
       {{3, 4, 7}, "the tokens of the beginning count in their order: 2 1 is not 1 2"},
       {{1, 2, 3, 4, 5, 6, 7}, "all tokens of the text were banned: only those that complete n in a row"}});
  expect_equal("5 1 5 2 5, n = 2", banned_by(NoRepeatNgram(2), {5, 1, 5, 2, 5}), Ids{1, 2},
               {{{1}, "only the first place was found"}, {{2}, "only the last place was found"}});
}

TEST_CASE("places may overlap") {
  expect_equal(
      "5 5 5, n = 3", banned_by(NoRepeatNgram(3), {5, 5, 5}), Ids{5},
      {{{}, "5 5 begins the text and ends it, and they share a token; that is a place like any other"}});
  expect_equal("5 5, n = 3", banned_by(NoRepeatNgram(3), {5, 5}), Ids{},
               {{{5}, "the end was compared with itself"}});
}

TEST_CASE("n = 1: no token twice") {
  expect_equal(
      "3 1 3 8, n = 1", banned_by(NoRepeatNgram(1), {3, 1, 3, 8}), Ids{1, 3, 8},
      {{{}, "with n = 1 the beginning is empty, and stands everywhere"},
       {{1, 3}, "the last token of the text was left out; it is one of the tokens that were there"}});
}

TEST_CASE("a text that is too short") {
  expect_equal("no token, n = 2", banned_by(NoRepeatNgram(2), {}), Ids{});
  expect_equal("one token, n = 3", banned_by(NoRepeatNgram(3), {4}), Ids{});
  expect_equal("three tokens, n = 4", banned_by(NoRepeatNgram(4), {4, 5, 6}), Ids{});
}

TEST_CASE("n-grams of the prompt, the beginning from the end of the text") {
  expect_equal(
      "prompt 1 2 3, then 2 7 2, n = 2", banned_by(EncoderNoRepeatNgram(2, 3), {1, 2, 3, 2, 7, 2}), Ids{3},
      {{{}, "the beginning was taken from the end of `text`, the prompt; it is the end of input_ids"},
       {{3, 7}, "it was searched in all of input_ids; what must not come again is in `text`"}});
}

}  // namespace
}  // namespace llm::grading
