#include "chapters/03_kv_cache/new_tokens.h"
#include "tests/course/exercises/03_kv_cache/fake_cache.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Rows = std::vector<Positions>;

// The positions, tokens or mask of a batch; -1 where it is padded.
template <class T>
Rows shown(View<const T, 2> values, const std::vector<Tokens>& feed) {
  Rows rows;
  for (Index b = 0; b < values.shape(0); ++b) {
    const Index padding = values.shape(1) - static_cast<Index>(feed[static_cast<std::size_t>(b)].size());
    rows.emplace_back();
    for (Index t = 0; t < values.shape(1); ++t) rows.back().push_back(t < padding ? -1 : Index{values(b, t)});
  }
  return rows;
}

// Each flag is a mistake.
struct Oracle {
  bool after_the_step = false, no_past = false, count_padding = false, row_of_batch = false;

  Rows operator()(const FakeCache& cache, const std::vector<Tokens>& feed,
                  const std::vector<Index>& rows) const {
    std::size_t columns = 0;
    for (const Tokens& row : feed) columns = std::max(columns, row.size());
    Rows result;
    for (std::size_t b = 0; b < feed.size(); ++b) {
      const std::size_t padding = columns - feed[b].size();
      Index next = cache.get_seq_length(row_of_batch || rows.empty() ? static_cast<Index>(b) : rows[b]);
      if (no_past) next = 0;
      if (after_the_step) ++next;
      if (count_padding) next += static_cast<Index>(padding);
      result.emplace_back(padding, -1);
      while (result.back().size() < columns) result.back().push_back(next++);
    }
    return result;
  }
};

void check(const std::string& what, const FakeCache& cache, const std::vector<Tokens>& feed,
           const std::vector<Index>& rows = {}) {
  const std::vector<std::span<const Token>> spans(feed.begin(), feed.end());
  const NewTokens made(spans, cache, rows);
  const Batch batch = made.batch();
  const auto oracle = [&](const Oracle& mistake) { return mistake(cache, feed, rows); };
  expect_equal<Rows>(
      "the positions of " + what + " (-1: padding)", shown(batch.position_ids, feed), oracle({}),
      {{oracle({.after_the_step = true}),
        "every position is one too many: it is the cache's length before the step, not after it"},
       {oracle({.no_past = true}), "positions begin at 0 again; the tokens in the cache come before these"},
       {oracle({.count_padding = true}),
        "padding was counted; a padded column is no token and has no position"},
       {oracle({.row_of_batch = true}),
        "row b of the batch is not row b of the cache here: cache_rows_[b] says which one it is"}});
  Rows ids, mask;
  for (std::size_t b = 0; b < feed.size(); ++b) {
    const auto padding = static_cast<std::size_t>(batch.input_ids.shape(1)) - feed[b].size();
    ids.emplace_back(padding, -1);
    ids.back().insert(ids.back().end(), feed[b].begin(), feed[b].end());
    mask.emplace_back(padding, 0);
    mask.back().resize(ids.back().size(), 1);
  }
  expect_equal<Rows>("the tokens of " + what, shown(batch.input_ids, feed), ids);
  Rows got;
  for (Index b = 0; b < batch.attention_mask.shape(0); ++b)
    got.emplace_back(batch.attention_mask[b].begin(), batch.attention_mask[b].end());
  expect_equal<Rows>("the mask of " + what, got, mask);
}

TEST_CASE("a prompt begins at 0") { check("three tokens", FakeCache(), {{11, 12, 13}}); }

TEST_CASE("one token more has the cache's length") {
  check("a token after five", FakeCache({{1, 2, 3, 4, 5}}), {{6}});
  check("a piece of a prompt", FakeCache({{1, 2, 3, 4, 5, 6, 7}}), {{8, 9, 10, 11}});
}

TEST_CASE("padding has no position") {
  check("rows of 2, 5 and 1 tokens", FakeCache({{}, {}, {}}), {{1, 2}, {3, 4, 5, 6, 7}, {8}});
  check("pieces of different lengths", FakeCache({{1, 2, 3}, {4}}), {{5}, {6, 7, 8}});
}

TEST_CASE("rows that ended have left the batch") {
  const FakeCache cache({{1, 2, 3}, {4, 5, 6, 7, 8}, {9}, {10, 11, 12, 13}});
  check("rows 1 and 3 of the cache", cache, {{20}, {21}}, {1, 3});
  check("rows 3 and 0 of the cache", cache, {{22, 23}, {24}}, {3, 0});
}

}  // namespace
}  // namespace llm::grading
