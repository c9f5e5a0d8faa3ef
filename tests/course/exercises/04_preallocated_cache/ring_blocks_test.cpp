#include "tests/course/exercises/04_preallocated_cache/ring_reading.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

// W = 4 and pieces of up to 3 tokens: 4 - 1 + 3 slots.
constexpr Index kWindow = 4, kChunk = 3, kSlots = 6;

struct Ring {
  NaNMemory memory;
  RingRow row{kShape, {.sliding_window = kWindow, .max_chunk = kChunk}, &memory};
};

using Numbers = std::vector<Index>;

// Tokens [oldest, end) in a ring of `slots`: oldest first, or, as mistakes, in the order of the slots, or
// from slot end % slots on even where the ring has not been filled that far.
Numbers in_order(Index oldest, Index end) {
  Numbers tokens;
  for (Index token = oldest; token < end; ++token) tokens.push_back(token);
  return tokens;
}
Numbers by_slots(Index oldest, Index end, Index slots) {
  Numbers tokens;
  for (Index slot = 0; slot < slots; ++slot)
    for (Index token = oldest; token < end; ++token)
      if (token % slots == slot) tokens.push_back(token);
  return tokens;
}
Numbers first_run(Index oldest, Index end, Index slots) {
  return in_order(oldest, std::min(end, (oldest / slots + 1) * slots));
}
Numbers from_zero(const Numbers& tokens) { return in_order(0, static_cast<Index>(tokens.size())); }

void check(const std::string& what, const RingRow& row, Index oldest, Index end, Index slots = kSlots) {
  const Numbers right = in_order(oldest, end), got = tokens_shown(row);
  const bool unwritten = std::ranges::count(got, -1) > 0;
  expect_equal<Numbers>(
      what + ": the tokens that are read (-1: a slot without one)", got, right,
      {{by_slots(oldest, end, slots),
        "the blocks are in the order of the slots; the oldest token comes first, wherever its slot is"},
       {first_run(oldest, end, slots),
        "what lies behind the wrap is missing: go on in slot 0 after the last slot"},
       {unwritten ? got : Numbers{-2},
        "a slot is read that holds no token: begin with the slot of the oldest token that is stored, not "
        "with the "
        "one that is written next"}});
  expect_equal<Numbers>(what + ": the positions that the blocks say", positions_shown(row), right,
                        {{from_zero(right),
                          "positions count from the beginning of the text, not from the oldest "
                          "token that is left: first_position is the token's own"}});
  expect_true(what + ": at most two blocks, none of them empty",
              row.blocks().size() <= 2 &&
                  std::ranges::all_of(row.blocks(), [](const KvBlock& b) { return b.length > 0; }));
}

TEST_CASE("before the wrap: one block") {
  Ring ring;
  append(ring.row, 3);
  check("3 tokens", ring.row, 0, 3);
  append(ring.row, 3);
  check("6 tokens, as many as slots", ring.row, 0, 6);
}

TEST_CASE("after the wrap: two blocks, the oldest first") {
  Ring ring;
  for (Index end = 1; end <= 20; ++end) {
    append(ring.row, 1);
    check(std::to_string(end) + " tokens, one at a time", ring.row, std::max<Index>(0, end - kSlots), end);
  }
}

TEST_CASE("pieces of different lengths") {
  Ring ring;
  Index end = 0;
  for (const Index count : {2, 3, 3, 1, 2, 3, 3, 3, 1}) {
    append(ring.row, count);
    end += count;
    check(std::to_string(end) + " tokens in pieces", ring.row, std::max<Index>(0, end - kSlots), end);
  }
}

TEST_CASE("after a crop fewer tokens than slots are left") {
  Ring ring;
  for (Index i = 0; i < 10; ++i) append(ring.row, 1);
  ring.row.crop(8);
  check("10 tokens cropped to 8", ring.row, 4, 8);
  append(ring.row, 1);
  check("and one more", ring.row, 4, 9);
  ring.row.crop(7);
  check("cropped to 7", ring.row, 4, 7);
}

TEST_CASE("a ring without tokens has no blocks") {
  Ring ring;
  append(ring.row, 2);
  ring.row.clear();
  check("cleared", ring.row, 0, 0);
}

TEST_CASE("a long prompt makes the ring larger for a while") {
  Ring ring;
  append(ring.row, 2);
  append(ring.row, 9);
  check("2 and 9 tokens, 12 slots", ring.row, 0, 11, 12);
  append(ring.row, 1);
  check("one more, 6 slots again", ring.row, 6, 12);
}

}  // namespace
}  // namespace llm::grading
