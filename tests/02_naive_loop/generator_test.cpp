#include "chapters/02_naive_loop/generator.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace llm::test {
namespace {

Generator<int> count_to(int last, std::shared_ptr<int> steps) {
  for (int i = 1; i <= last; ++i) {
    ++*steps;
    co_yield i;
  }
}

TEST_CASE("values come in order, each computed when it is asked for") {
  const auto steps = std::make_shared<int>(0);
  auto generator = count_to(4, steps);
  CHECK(*steps == 0);
  std::vector<int> values;
  for (const int value : generator) {
    values.push_back(value);
    CHECK(*steps == value);
  }
  CHECK(values == std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("who stops pulling stops the work, and the function's variables are destroyed") {
  const auto steps = std::make_shared<int>(0);
  for (const int value : count_to(1000, steps))
    if (value == 3) break;
  CHECK(*steps == 3);
  CHECK(steps.use_count() == 1);
}

TEST_CASE("a generator of nothing, one that was never started, one that was moved") {
  const auto steps = std::make_shared<int>(0);
  for (const int value : count_to(0, steps)) FAIL(value);
  { auto unused = count_to(5, steps); }
  auto first = count_to(2, steps);
  auto second = std::move(first);
  int sum = 0;
  for (const int value : second) sum += value;
  CHECK(sum == 3);
}

TEST_CASE("an exception comes out where the value was asked for") {
  const auto fails = [](int after) -> Generator<int> {
    for (int i = 0; i < after; ++i) co_yield i;
    throw std::runtime_error("no more");
  };
  auto at_once = fails(0);
  CHECK_THROWS_AS(at_once.begin(), std::runtime_error);
  int seen = 0;
  CHECK_THROWS_AS(
      [&] {
        for ([[maybe_unused]] const int value : fails(2)) ++seen;
      }(),
      std::runtime_error);
  CHECK(seen == 2);
}

}  // namespace
}  // namespace llm::test
