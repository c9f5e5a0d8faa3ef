#include "chapters/00_start/followers.h"
#include "tests/course/exercises/grading.h"

using llm::Counts;
using llm::grading::expect_close;

TEST_CASE("the share of a letter is its count over all counts") {
  Counts counts{};
  counts['a'] = 3;
  counts['b'] = 5;
  expect_close(
      "probability of 'a' where a was counted 3 times and b 5 times", llm::probability(counts, 'a'), 0.375,
      1e-12,
      {{3.0 / 256,
        "the count was divided by 256, the number of byte values, instead of by the sum of all counts"},
       {0.0, "two integers were divided: 3 / 8 is 0 in C++; make one of them a double first"}});
  expect_close("probability of 'c', which was never counted", llm::probability(counts, 'c'), 0.0, 1e-12);
}

TEST_CASE("nothing counted gives 0, not 0/0") {
  const double got = llm::probability(Counts{}, 'a');
  llm::grading::expect_true("the probability is a number where nothing was counted", got == got,
                            "0/0 is not a number: return 0 before you divide by a total of 0");
  expect_close("probability of 'a' where nothing was counted", got, 0.0, 1e-12);
}
