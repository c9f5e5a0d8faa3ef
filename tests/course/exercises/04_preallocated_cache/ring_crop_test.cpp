#include "tests/course/exercises/04_preallocated_cache/ring_reading.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Lengths = std::vector<Index>;

Lengths accepted_by_reader(const RingRow& row) {
  Lengths accepted;
  for (Index length = 0; length <= row.length(); ++length) {
    try {
      row.check_crop(length);
      accepted.push_back(length);
    } catch (const Error& error) {
      expect_true("the error's code is kRange", error.code() == ErrorCode::kRange);
    }
  }
  return accepted;
}

// A crop is possible if the ring still has every token that the next one sees: the last W - 1 before it.
struct Oracle {
  Index before = 0;  // W - 1; a mistake: W
  bool everything = false, newest_only = false, not_to_none = false;

  Lengths operator()(Index oldest, Index end) const {
    Lengths accepted;
    for (Index length = 0; length <= end; ++length) {
      Index missing = 0;
      for (Index token = 0; token < length; ++token)
        if (token < oldest && token >= length - before) ++missing;
      bool possible = missing == 0;
      if (everything) possible = true;
      if (newest_only) possible = length >= oldest;
      if (not_to_none) possible = std::max<Index>(0, length - before) >= oldest;
      if (possible) accepted.push_back(length);
    }
    return accepted;
  }
};

void check(const std::string& what, const RingRow& row, Index window, Index oldest) {
  const Index W = window, end = row.length();
  expect_equal<Lengths>(
      what + ": lengths to which it can be cropped", accepted_by_reader(row), Oracle{W - 1}(oldest, end),
      {{Oracle{W - 1, true}(oldest, end),
        "every crop was accepted: the next token would look at keys that are overwritten, and nobody would "
        "know"},
       {Oracle{W}(oldest, end),
        "one key more than needed was asked for: a window of W is the token itself and the W - 1 before it"},
       {Oracle{.before = W - 1, .newest_only = true}(oldest, end),
        "it was only asked whether the last token that remains is there; the next one sees W - 1 of them"},
       {Oracle{.before = W - 1, .not_to_none = true}(oldest, end),
        "where the next token sees nothing that was stored, nothing can be missing: a crop to 0 always "
        "works"}});
}

// W - 1 + max_chunk slots.
TEST_CASE("nothing is lost yet: any length") {
  RingRow row(kShape, {.sliding_window = 4, .max_chunk = 3}, main_memory());
  append(row, 3);
  append(row, 3);
  check("6 tokens in 6 slots", row, 4, 0);
}

TEST_CASE("back by max_chunk, or to nothing") {
  RingRow row(kShape, {.sliding_window = 4, .max_chunk = 3}, main_memory());
  for (Index end = 1; end <= 15; ++end) {
    append(row, 1);
    check(std::to_string(end) + " tokens in 6 slots, W = 4", row, 4, std::max<Index>(0, end - 6));
  }
}

TEST_CASE("after a crop the next one reaches less far back") {
  RingRow row(kShape, {.sliding_window = 3, .max_chunk = 4}, main_memory());
  for (Index i = 0; i < 4; ++i) append(row, 3);
  check("12 tokens in 6 slots, W = 3", row, 3, 6);
  row.crop(9);
  check("cropped to 9", row, 3, 6);
}

TEST_CASE("a window of one token sees nothing before it") {
  RingRow row(kShape, {.sliding_window = 1, .max_chunk = 2}, main_memory());
  for (Index i = 0; i < 5; ++i) append(row, 2);
  check("10 tokens in 2 slots, W = 1", row, 1, 8);
}

}  // namespace
}  // namespace llm::grading
