#include "tests/course/exercises/04_preallocated_cache/fake_kinds.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

// Layers that need so many bytes for one token.
void check(const std::string& what, const std::vector<Index>& bytes) {
  fake_layers().clear();
  for (const Index one : bytes) fake_layers().push_back({.token = one});
  const std::size_t L = bytes.size();
  Index all = 0, largest = 0, pair = 0, no_way_back = 0;
  for (std::size_t l = 0; l < L; ++l) {
    const Index both = L > 1 ? bytes[l] + bytes[(l + 1) % L] : bytes[l];
    all += bytes[l];
    largest = std::max(largest, bytes[l]);
    pair = std::max(pair, both);
    if (l + 1 < L) no_way_back = std::max(no_way_back, both);
  }
  const CacheSpec spec = {.cache = "fake", .offload = true};
  expect_equal<Index>(
      what, memory_needed(fake_config(), spec, 10), 10 * pair,
      {{10 * all, "all layers were added up: the others are in files while two are here"},
       {10 * largest, "only the layer that is computed was counted; the next one is fetched meanwhile"},
       {20 * largest, "twice the largest layer: its neighbours may be smaller, rings for example"},
       {10 * no_way_back, "after the last layer comes the first again, for the next token"}});
}

TEST_CASE("the layer that is computed and the next one") {
  check("four layers alike", {7, 7, 7, 7});
  check("a large one between small ones", {5, 11, 90, 13, 6});
}

TEST_CASE("after the last layer comes the first") {
  check("the largest are the first and the last", {50, 10, 20, 60});
  check("a large last one", {8, 5, 7, 70});
}

TEST_CASE("one layer, two layers") {
  check("a model of one layer", {9});
  check("a model of two", {9, 4});
}

}  // namespace
}  // namespace llm::grading
