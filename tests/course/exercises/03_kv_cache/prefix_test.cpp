#include "chapters/03_kv_cache/cached_text.h"
#include "tests/course/exercises/03_kv_cache/fake_cache.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

struct Kept {
  Index common = 0;
  Tokens ids, in_cache;
  Index resets = 0;
};

Kept keep(const Tokens& before, const Tokens& ids, Index lost = 0) {
  auto cache = std::make_unique<FakeCache>(std::vector<Tokens>{before});
  FakeCache& inside = *cache;
  inside.lost = lost;
  CachedText text{std::move(cache), before};
  bool refused = false;
  Kept kept;
  try {
    kept.common = keep_common_prefix(text, ids);
  } catch (const Error&) {
    refused = true;
  }
  expect_true(
      "the cache is cropped or begins anew", !refused,
      "the error of a cache that cannot go back so far was passed on: reset it, and compute all again");
  kept.ids = text.ids;
  kept.in_cache = inside.tokens[0];
  kept.resets = inside.resets;
  return kept;
}

void check(const std::string& what, const Tokens& before, const Tokens& ids, Index right,
           const Mistakes<Index>& mistakes = {}) {
  const Kept kept = keep(before, ids);
  expect_equal<Index>(what + ": tokens that need not be computed", kept.common, right, mistakes);
  const Tokens prefix(ids.begin(), ids.begin() + right);
  expect_equal<Tokens>(what + ": what is in the cache", kept.in_cache, prefix,
                       {{before, "the cache still holds the old text: crop it to what both begin with"}});
  expect_equal<Tokens>(what + ": text.ids", kept.ids, prefix,
                       {{before, "text.ids still says the old text; it says what the cache holds"},
                        {ids, "text.ids says the new text; it says what the cache holds already"}});
}

TEST_CASE("a conversation goes on") {
  check("all of the old text", {1, 2, 3, 4}, {1, 2, 3, 4, 5, 6, 7}, 4,
        {{3, "one token too few is kept: where the texts do not part, the whole old one is common"}});
}

TEST_CASE("the texts part") {
  check("an earlier thought is gone", {1, 2, 3, 40, 41, 6, 7}, {1, 2, 3, 6, 7, 8, 9, 10, 11}, 3,
        {{7, "the length of the old text was taken without comparing: the texts differ at token 3"},
         {4, "the token that differs was kept"},
         {2, "one token too few is kept"}});
  check("another text", {1, 2, 3}, {9, 2, 3, 4}, 0,
        {{3, "the length of the old text was taken without comparing"}});
  check("nothing before", {}, {1, 2}, 0);
}

TEST_CASE("at least one token is left to compute") {
  check("the same text again", {1, 2, 3, 4}, {1, 2, 3, 4}, 3,
        {{4, "all tokens are in the cache, and nothing is left to compute: no scores, no next token"}});
  check("the beginning of the old text", {1, 2, 3, 4, 5}, {1, 2, 3}, 2,
        {{3, "all tokens are in the cache, and nothing is left to compute: no scores, no next token"}});
  check("one token", {1, 2}, {1}, 0);
}

TEST_CASE("a ring that has lost the beginning starts anew") {
  const Kept kept = keep({1, 2, 3, 4, 5, 6}, {1, 2, 3, 7}, /*lost=*/4);
  expect_equal<Index>("tokens that need not be computed", kept.common, 0,
                      {{3, "the cache is empty now, and so nothing of the text is in it"}});
  expect_equal<Tokens>("what is in the cache", kept.in_cache, {});
  expect_equal<Tokens>("text.ids", kept.ids, {});
  expect_equal<Index>("resets", kept.resets, 1);
}

TEST_CASE("where the cache can go back, it is not computed anew") {
  const Kept kept = keep({1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 8}, /*lost=*/4);
  expect_equal<Index>("tokens that need not be computed", kept.common, 4);
  expect_equal<Index>("resets", kept.resets, 0, {{1, "the cache was emptied although it could go back"}});
}

}  // namespace
}  // namespace llm::grading
