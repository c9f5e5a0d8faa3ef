#include "chapters/02_naive_loop/attention_weights.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Bounds = std::pair<Index, Index>;

void check(std::string_view what, Index oldest, Index index, std::optional<Index> window, Bounds right) {
  const Range seen = visible_keys(oldest, index, window);
  const Index size = right.second - right.first;
  Mistakes<Bounds> mistakes = {
      {{right.first, index}, "a token does not see itself; its own key is the last one that it sees"},
      {{right.first, index + 2}, "a token sees the one behind it: that is the answer it is to find"}};
  if (window) {
    mistakes.push_back({{index - *window, right.second},
                        "the window is one too wide: the token itself is one of the keys in it"});
    mistakes.push_back({{std::max(oldest, index - *window), right.second},
                        "the window is one too wide: the token itself is one of the keys in it"});
    mistakes.push_back({{index + 1 - *window, right.second},
                        "the window reaches keys before `oldest`, which are not stored"});
    mistakes.push_back({{oldest, right.second}, "the window was left out of account"});
  }
  mistakes.push_back({{0, right.second}, "the keys begin at 0, but those before `oldest` are not stored"});
  expect_equal<Bounds>(what, {seen.begin, seen.end}, right, mistakes);
  expect_equal<Index>(std::string(what) + ": how many", seen.size(), size);
}

TEST_CASE("a token sees itself and all before it") {
  check("the first token", 0, 0, std::nullopt, {0, 1});
  check("the token at index 5", 0, 5, std::nullopt, {0, 6});
}

TEST_CASE("with a window it sees the last ones, itself included") {
  check("index 5, window 3", 0, 5, 3, {3, 6});
  check("index 5, window 1", 0, 5, 1, {5, 6});
  check("index 5, window 6", 0, 5, 6, {0, 6});
}

TEST_CASE("nothing before the oldest stored key") {
  check("index 1, window 4: the sequence is shorter than the window", 0, 1, 4, {0, 2});
  check("index 9, oldest 7, no window", 7, 9, std::nullopt, {7, 10});
  check("index 9, oldest 7, window 5", 7, 9, 5, {7, 10});
  check("index 9, oldest 7, window 2", 7, 9, 2, {8, 10});
}

}  // namespace
}  // namespace llm::grading
