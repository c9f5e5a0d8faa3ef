// The ring: what it keeps, where it wraps, what can be taken back. Slots that are not written are NaN.
#include <doctest/doctest.h>

#include "chapters/04_preallocated_cache/sliding_window_layer.h"
#include "tests/04_preallocated_cache/numbered_tokens.h"
#include "tests/04_preallocated_cache/test_memory.h"

namespace llm::test {
namespace {

const KvShape kShape = {2, 4, KvFormat::kF32};

TEST_CASE("chunks of every size, windows of every size: each new token finds what it sees") {
  TestMemory memory;
  for (Index window = 1; window <= 6; ++window)
    for (Index max_chunk = 1; max_chunk <= 4; ++max_chunk)
      for (Index chunk = 1; chunk <= 7; ++chunk) {
        CAPTURE(window);
        CAPTURE(max_chunk);
        CAPTURE(chunk);
        SlidingWindowLayer layer(1, kShape, {.sliding_window = window, .max_chunk = max_chunk}, &memory);
        for (Index length = 0; length < 40; length += chunk) {
          append_numbered(layer, 0, length, chunk);
          REQUIRE(holds_numbered(layer, 0, length + chunk));
          REQUIRE(first_stored(layer, 0) <= std::max<Index>(0, length - (window - 1)));
          REQUIRE(layer.blocks(0).size() <= 2);
        }
      }
}

TEST_CASE("two blocks at a wrap, and one at the others") {
  SlidingWindowLayer layer(1, kShape, {.sliding_window = 5, .max_chunk = 1});  // 5 slots
  for (Index length = 1; length <= 23; ++length) {
    append_numbered(layer, 0, length - 1, 1);
    CAPTURE(length);
    const bool wraps = length > 5 && length % 5 != 0;
    REQUIRE(layer.blocks(0).size() == (wraps ? 2u : 1u));
    CHECK(first_stored(layer, 0) == std::max<Index>(0, length - 5));
    if (wraps) CHECK(layer.blocks(0)[1].length == length % 5);
  }
}

TEST_CASE("crop: up to max_chunk tokens always, further back only while nothing that is needed is lost") {
  for (const Index window : {1, 2, 4}) {
    for (const Index max_chunk : {1, 3}) {
      for (Index length = 1; length <= 17; ++length) {
        for (Index target = 0; target <= length; ++target) {
          CAPTURE(window);
          CAPTURE(max_chunk);
          CAPTURE(length);
          CAPTURE(target);
          SlidingWindowLayer layer(1, kShape, {.sliding_window = window, .max_chunk = max_chunk});
          for (Index i = 0; i < length; ++i) append_numbered(layer, 0, i, 1);
          const Index oldest = std::max<Index>(0, length - (window - 1 + max_chunk));
          const Index needed = std::max<Index>(0, target - (window - 1));
          const bool possible = needed == target || needed >= oldest;
          if (length - target <= max_chunk) CHECK(possible);
          if (!possible) {
            CHECK_THROWS_WITH_AS(layer.crop(0, target), doctest::Contains("reset the cache and compute anew"),
                                 Error);
            CHECK_THROWS_AS(layer.check_crop(0, target), Error);
            CHECK(holds_numbered(layer, 0, length));
            continue;
          }
          layer.check_crop(0, target);
          CHECK(layer.get_seq_length(0) == length);
          layer.crop(0, target);
          CHECK(holds_numbered(layer, 0, target));
          CHECK(first_stored(layer, 0) <= needed);
          append_numbered(layer, 0, target, 1);  // and on from there
          append_numbered(layer, 0, target + 1, 1);
          CHECK(holds_numbered(layer, 0, target + 2));
          CHECK(first_stored(layer, 0) <= std::max<Index>(0, target + 1 - (window - 1)));
        }
      }
    }
  }
}

TEST_CASE("a chunk that is longer than planned gets its slots, and the next update gives them back") {
  TestMemory memory;
  SlidingWindowLayer layer(2, kShape, {.sliding_window = 4, .max_chunk = 2}, &memory);  // 5 slots
  const Index usual = layer.memory_bytes();
  CHECK(usual == 2 * 2 * 5 * 2 * 4 * 4);  // rows, keys and values, slots, KH, Dh, bytes
  append_numbered(layer, 1, 0, 6);
  append_numbered(layer, 1, 6, 20);
  CHECK(layer.memory_bytes() == usual + 2 * (3 + 20 - 5) * 2 * 4 * 4);
  CHECK(memory.bytes == layer.memory_bytes());
  CHECK(first_stored(layer, 1) == 3);
  layer.crop(1, 20);  // the slots that are there are used
  CHECK(holds_numbered(layer, 1, 20));
  append_numbered(layer, 1, 20, 2);
  CHECK(layer.memory_bytes() == usual);
  CHECK(holds_numbered(layer, 1, 22));
  CHECK(first_stored(layer, 1) == 17);
  const Index allocations = memory.allocations;
  for (Index i = 22; i < 60; ++i) append_numbered(layer, 1, i, 1);
  CHECK(memory.allocations == allocations);
}

TEST_CASE("copies of a ring that is larger for a moment can be cropped as far as the original") {
  SlidingWindowLayer layer(2, kShape, {.sliding_window = 4, .max_chunk = 1});
  append_numbered(layer, 0, 0, 3);
  append_numbered(layer, 0, 3, 9);
  layer.reorder(std::vector<Index>{0, 0});
  layer.crop(1, 4);
  layer.crop(0, 5);
  CHECK(holds_numbered(layer, 0, 5));
  CHECK(holds_numbered(layer, 1, 4));
}

TEST_CASE("a window that is wider than the text may get saves slots, and refuses more") {
  TestMemory memory;
  SlidingWindowLayer layer(1, kShape, {.sliding_window = 100, .max_chunk = 5, .max_cache_len = 12}, &memory);
  CHECK(layer.memory_bytes() == 2 * 12 * 2 * 4 * 4);
  for (Index i = 0; i < 10; ++i) append_numbered(layer, 0, i, 1);
  CHECK_THROWS_WITH_AS(append_numbered(layer, 0, 10, 3), doctest::Contains("must be 13 or more"), Error);
  append_numbered(layer, 0, 10, 2);
  CHECK(holds_numbered(layer, 0, 12));
  CHECK(first_stored(layer, 0) == 0);
  layer.crop(0, 1);
  append_numbered(layer, 0, 1, 11);
  CHECK(holds_numbered(layer, 0, 12));
  CHECK(memory.allocations == 1);
}

TEST_CASE("no memory for a longer chunk: nothing is stored in any row") {
  TestMemory memory;
  SlidingWindowLayer layer(2, kShape, {.sliding_window = 3, .max_chunk = 1}, &memory);
  for (const Index row : {0, 1}) append_numbered(layer, row, 0, 1);
  memory.most_left = 1;
  Tensor<float, 3> tokens({12, 2, 4}, 1.0f);
  const RowTokens both[] = {{.row = 0, .begin = 0, .count = 6}, {.row = 1, .begin = 6, .count = 6}};
  CHECK_THROWS_WITH_AS(layer.update(tokens.view(), tokens.view(), both), doctest::Contains("no memory"),
                       Error);
  for (const Index row : {0, 1}) CHECK(holds_numbered(layer, row, 1));
}

}  // namespace
}  // namespace llm::test
