#include "chapters/03_kv_cache/dynamic_layer.h"
#include "tests/course/exercises/grading.h"
#include "tests/course/exercises/kv_reading.h"

namespace llm::grading {
namespace {

constexpr Index kHeads = 3, kDim = 5;
constexpr KvShape kShape = {kHeads, kDim, KvFormat::kF32};

// Appends tokens one at a time, and notes when the layer asked for new memory.
struct Growth {
  NaNMemory memory;
  DynamicLayer layer{kShape, 1, &memory};
  Index times = 0;         // that there was new memory while tokens were stored
  Index moved_tokens = 0;  // which had to be copied

  void append(View<const float, 3> keys, View<const float, 3> values, Index begin, Index count) {
    const Index pieces = memory.pieces, length = layer.get_seq_length(0);
    const RowTokens tokens{.row = 0, .begin = begin, .count = count};
    layer.update(keys, values, {&tokens, 1});
    if (memory.pieces == pieces || length == 0) return;
    ++times;
    moved_tokens += length;
  }
};

std::vector<Index> first(Index count) {
  std::vector<Index> numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

TEST_CASE("what was stored is kept") {
  Growth growth;
  const auto keys = whole_numbers(9, kHeads, kDim, 1), values = whole_numbers(9, kHeads, kDim, 2);
  growth.append(keys, values, 0, 5);
  growth.append(keys, values, 5, 1);
  growth.append(keys, values, 6, 3);
  expect_equal<Index>(
      "the length after 5, 1 and 3 tokens", growth.layer.get_seq_length(0), 9,
      {{4, "what was stored before is lost: copy_tokens() takes it along into the larger room"},
       {3, "what was stored before is lost: copy_tokens() takes it along into the larger room"}});
  const KvBlock block = growth.layer.blocks(0)[0];
  expect_close("the keys, [KH, 9, Dh]", shown_numbers(block.keys, kHeads, 9, kDim).view(),
               by_heads(keys, first(9)).view(), 0);
  expect_close("the values, [KH, 9, Dh]", shown_numbers(block.values, kHeads, 9, kDim).view(),
               by_heads(values, first(9)).view(), 0);
}

TEST_CASE("growing moves a few times the text, not its square") {
  for (const Index total : {100, 701}) {
    Growth growth;
    const auto keys = whole_numbers(total, kHeads, kDim, 3), values = whole_numbers(total, kHeads, kDim, 4);
    for (Index i = 0; i < total; ++i) growth.append(keys, values, i, 1);
    const std::string what = std::to_string(total) + " tokens, one at a time";
    expect_true(
        what + ": moved " + std::to_string(growth.moved_tokens), growth.moved_tokens < 3 * total,
        growth.times >= total - 1
            ? "every append moves all tokens: the room must grow by more than is needed right now"
            : "the room grows by a fixed number of tokens, and the moves still by the square of the length; "
              "let it grow by a share of itself, by half");
    expect_true(what + ": room for " + std::to_string(growth.layer.reserved_tokens()),
                growth.layer.reserved_tokens() <= 2 * total, "more than twice the room that the text needs");
    const Index bytes = 2 * growth.moved_tokens * kHeads * kDim * 4;
    expect_equal<Index>(what + ": moved_bytes()", growth.layer.moved_bytes(), bytes,
                        {{bytes / 2, "moved_bytes_ counts keys and values, twice the bytes of keys"},
                         {growth.moved_tokens, "moved_bytes_ counts bytes, not tokens"},
                         {0, "moved_bytes_ was not counted"}});
  }
}

TEST_CASE("a piece that is larger than half of the room") {
  Growth growth;
  const auto keys = whole_numbers(60, kHeads, kDim, 5), values = whole_numbers(60, kHeads, kDim, 6);
  growth.append(keys, values, 0, 4);
  growth.append(keys, values, 4, 56);
  expect_true("room for " + std::to_string(growth.layer.reserved_tokens()) + " tokens",
              growth.layer.reserved_tokens() >= 60 && growth.layer.reserved_tokens() <= 120);
  expect_close("the keys, [KH, 60, Dh]",
               shown_numbers(growth.layer.blocks(0)[0].keys, kHeads, 60, kDim).view(),
               by_heads(keys, first(60)).view(), 0);
}

}  // namespace
}  // namespace llm::grading
