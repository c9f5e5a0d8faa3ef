#include "tests/course/exercises/04_preallocated_cache/fake_kinds.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

Index needed(Index tokens) {
  Index sum = 0;
  for (const FakeBytes& layer : fake_layers()) sum += layer.of(tokens);
  return sum;
}

// All cases have an answer that is known by their numbers.
void check(const std::string& what, const std::vector<FakeBytes>& layers, Index budget, Index right) {
  fake_layers() = layers;
  const CacheSpec spec = {.cache = "fake"};
  const Index by_one_token = needed(1) > 0 ? budget / needed(1) : -1;
  expect_equal<Index>(what + ", " + std::to_string(budget) + " bytes",
                      longest_text(fake_config(), spec, budget), right,
                      {{right == kUnlimitedTokens ? right - 1 : -1,
                        "where no text is too long the answer is kUnlimitedTokens"},
                       {right + 1, "one token too many: it is the first length that does not fit"},
                       {right - 1, "one token too few: there is room for another"},
                       {by_one_token,
                        "the budget was divided by what one token needs: part of the memory is there for any "
                        "text, a tail or a ring"}});
}

TEST_CASE("so much a token") {
  check("30 bytes a token", {{.token = 10}, {.token = 20}}, 299, 9);
  check("30 bytes a token", {{.token = 10}, {.token = 20}}, 300, 10);
  check("30 bytes a token", {{.token = 10}, {.token = 20}}, 301, 10);
  check("Qwen3-0.6B in bf16", {{.token = 114688}}, Index{24} << 30, 224694);
}

TEST_CASE("a tail that is there for any text") {
  check("1000 bytes and 3 a token", {{.fixed = 1000, .token = 3}}, 1300, 100);
  check("1000 bytes and 3 a token", {{.fixed = 1000, .token = 3}}, 999, 0);
}

TEST_CASE("not even one token fits") {
  check("8 bytes a token", {{.token = 8}}, 7, 0);
  check("8 bytes a token", {{.token = 8}}, 0, 0);
}

TEST_CASE("steps of 16 tokens") {
  check("5 a token and 100 for each begun 16", {{.token = 5, .group = 100}}, 179, 15);
  check("5 a token and 100 for each begun 16", {{.token = 5, .group = 100}}, 180, 16);
  check("5 a token and 100 for each begun 16", {{.token = 5, .group = 100}}, 284, 16);
  check("5 a token and 100 for each begun 16", {{.token = 5, .group = 100}}, 285, 17);
}

TEST_CASE("a ring beside a layer that keeps everything") {
  check("a ring of 100 tokens of 10 bytes, 1 byte a token", {{.token = 10, .ring = 100}, {.token = 1}}, 2000,
        1000);
}

TEST_CASE("rings only: a text of any length, or less than a ring") {
  check("a ring of 100 tokens of 10 bytes", {{.token = 10, .ring = 100}}, 1000, kUnlimitedTokens);
  check("a ring of 100 tokens of 10 bytes", {{.token = 10, .ring = 100}}, 999, 99);
}

TEST_CASE("more tokens than one would try one by one") {
  check("1 byte a token", {{.token = 1}}, 2000000000, 2000000000);
}

}  // namespace
}  // namespace llm::grading
