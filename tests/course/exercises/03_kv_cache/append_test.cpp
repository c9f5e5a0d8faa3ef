#include "chapters/03_kv_cache/dynamic_layer.h"
#include "tests/course/exercises/grading.h"
#include "tests/course/exercises/kv_reading.h"

namespace llm::grading {
namespace {

constexpr Index kHeads = 3, kDim = 5;

using Numbers = internal::Numbers;

// What attention would read if tokens [N, KH, Dh] lay one behind the other, each with all its heads.
Tensor<float, 3> token_after_token(View<const float, 3> from, const std::vector<Index>& tokens) {
  const auto S = static_cast<Index>(tokens.size());
  std::vector<float> memory;
  for (const Index token : tokens) {
    const View<const float, 2> heads = from[token];
    for (Index head = 0; head < kHeads; ++head)
      memory.insert(memory.end(), heads[head].begin(), heads[head].end());
  }
  Tensor<float, 3> out({kHeads, S, kDim});
  std::copy(memory.begin(), memory.end(), out.data());
  return out;
}

// The mistakes for a part of a row that begins at `old` stored tokens.
void check_part(const std::string& what, const KvView& view, View<const float, 3> right,
                View<const float, 3> other, const std::vector<Index>& tokens) {
  const auto S = static_cast<Index>(tokens.size());
  std::vector<Index> from_zero;
  for (Index i = 0; i < S; ++i) from_zero.push_back(i);
  Tensor<float, 3> last_only({kHeads, S, kDim}, std::numeric_limits<float>::quiet_NaN());
  for (Index head = 0; head < kHeads; ++head)
    for (Index d = 0; d < kDim; ++d) last_only(head, 0, d) = right(tokens.back(), head, d);
  std::vector<Mistake<Numbers>> mistakes = {{Numbers(token_after_token(right, tokens).view()),
                                             "the tokens lie one behind the other, each with all its heads, "
                                             "[N, KH, Dh]; the tokens of a head belong "
                                             "together: [KH, capacity, Dh]"},
                                            {Numbers(by_heads(other, tokens).view()),
                                             "keys and values were exchanged, or one of them stored twice"}};
  if (tokens != from_zero)
    mistakes.push_back({Numbers(by_heads(right, from_zero).view()),
                        "tokens.begin was ignored: each row was given the first tokens of the batch"});
  expect_close(what, shown_numbers(view, kHeads, S, kDim).view(), by_heads(right, tokens).view(), 0,
               mistakes);
}

void check_row(const std::string& what, const DynamicLayer& layer, Index row, View<const float, 3> keys,
               View<const float, 3> values, const std::vector<Index>& tokens) {
  const auto S = static_cast<Index>(tokens.size());
  expect_equal<Index>(what + ": its length", layer.get_seq_length(row), S,
                      {{0, "row.block.length stayed 0: it is what counts the tokens of a row"},
                       {1, "the length grew by one for the whole update; it grows with each token"}});
  check_part(what + ": keys [KH, S, Dh]", layer.blocks(row)[0].keys, keys, values, tokens);
  check_part(what + ": values [KH, S, Dh]", layer.blocks(row)[0].values, values, keys, tokens);
}

TEST_CASE("one token") {
  NaNMemory memory;
  DynamicLayer layer({kHeads, kDim, KvFormat::kF32}, 1, &memory);
  const auto keys = whole_numbers(1, kHeads, kDim, 1), values = whole_numbers(1, kHeads, kDim, 2);
  const RowTokens all{.row = 0, .begin = 0, .count = 1};
  layer.update(keys, values, {&all, 1});
  check_row("one token", layer, 0, keys, values, {0});
}

TEST_CASE("a prompt: the tokens of a head are neighbours") {
  NaNMemory memory;
  DynamicLayer layer({kHeads, kDim, KvFormat::kF32}, 1, &memory);
  const auto keys = whole_numbers(7, kHeads, kDim, 3), values = whole_numbers(7, kHeads, kDim, 4);
  const RowTokens all{.row = 0, .begin = 0, .count = 7};
  layer.update(keys, values, {&all, 1});
  check_row("seven tokens", layer, 0, keys, values, {0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("a batch: each row takes its own tokens") {
  NaNMemory memory;
  DynamicLayer layer({kHeads, kDim, KvFormat::kF32}, 3, &memory);
  const auto keys = whole_numbers(8, kHeads, kDim, 5), values = whole_numbers(8, kHeads, kDim, 6);
  const std::vector<RowTokens> rows = {{2, 0, 3}, {0, 3, 4}, {1, 7, 1}};
  layer.update(keys, values, rows);
  check_row("row 2, the batch's first", layer, 2, keys, values, {0, 1, 2});
  check_row("row 0", layer, 0, keys, values, {3, 4, 5, 6});
  check_row("row 1", layer, 1, keys, values, {7});
}

TEST_CASE("more tokens go behind those that are there") {
  NaNMemory memory;
  DynamicLayer layer({kHeads, kDim, KvFormat::kF32}, 2, &memory);
  const auto keys = whole_numbers(9, kHeads, kDim, 7), values = whole_numbers(9, kHeads, kDim, 8);
  const std::vector<RowTokens> rows = {{1, 0, 2}, {0, 2, 1}, {1, 3, 4}};
  layer.update(keys, values, rows);
  check_row("a row in two pieces", layer, 1, keys, values, {0, 1, 3, 4, 5, 6});
  layer.crop(1, 1);
  const std::vector<RowTokens> more = {{1, 7, 2}, {1, 2, 1}};
  layer.update(keys, values, more);
  check_row("cropped, then two and one more", layer, 1, keys, values, {0, 7, 8, 2});
}

TEST_CASE("bf16 has two bytes a number") {
  NaNMemory memory;
  DynamicLayer layer({kHeads, kDim, KvFormat::kBF16}, 1, &memory);
  const auto keys = whole_numbers(4, kHeads, kDim, 9), values = whole_numbers(4, kHeads, kDim, 10);
  const RowTokens all{.row = 0, .begin = 1, .count = 3};
  layer.update(keys, values, {&all, 1});
  check_row("three tokens in bf16", layer, 0, keys, values, {1, 2, 3});
}

}  // namespace
}  // namespace llm::grading
