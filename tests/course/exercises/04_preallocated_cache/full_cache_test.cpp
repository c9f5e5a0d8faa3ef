#include "chapters/04_preallocated_cache/static_layer.h"
#include "tests/course/exercises/grading.h"
#include "tests/course/exercises/kv_reading.h"

namespace llm::grading {
namespace {

constexpr Index kHeads = 2, kDim = 3;

// What check_capacity says: nothing if it accepts.
std::optional<std::string> refusal(Index length, Index count, Index max_cache_len) {
  try {
    check_capacity(length, count, max_cache_len);
  } catch (const Error& error) {
    expect_true("the error's code is kRange", error.code() == ErrorCode::kRange);
    return error.what();
  }
  return std::nullopt;
}

void expect_accepted(Index length, Index count, Index max_cache_len) {
  const std::string what = std::to_string(count) + " more behind " + std::to_string(length) + " of at most " +
                           std::to_string(max_cache_len);
  expect_true(what + " are accepted", !refusal(length, count, max_cache_len),
              count > 0 && length + count == max_cache_len
                  ? "the last slot was refused: a cache is full when all slots hold a token"
                  : "tokens were refused for which there is room");
}

void expect_refused(Index length, Index count, Index max_cache_len) {
  const std::string what = std::to_string(count) + " more behind " + std::to_string(length) + " of at most " +
                           std::to_string(max_cache_len);
  expect_true(
      what + " are refused", refusal(length, count, max_cache_len).has_value(),
      length < max_cache_len
          ? "it was only asked whether a slot is free, not whether all the new tokens fit"
          : "a full cache accepts tokens: they would be lost, or overwrite others, and nobody hears of it");
}

TEST_CASE("what fits is accepted, up to the last slot") {
  expect_accepted(0, 1, 10);
  expect_accepted(3, 5, 10);
  expect_accepted(9, 1, 10);
  expect_accepted(0, 10, 10);
  expect_accepted(10, 0, 10);
}

TEST_CASE("a full cache is an error") {
  expect_refused(10, 1, 10);
  expect_refused(1, 1, 1);
}

TEST_CASE("a piece of which only a part fits is an error") {
  expect_refused(9, 2, 10);
  expect_refused(0, 11, 10);
  expect_refused(7, 100, 10);
}

TEST_CASE("the error says which capacity would do") {
  const std::string message = refusal(4000, 123, 4096).value_or("");
  expect_true(
      "'" + message + "' names 4123", message.find("4123") != std::string::npos,
      "the message does not say how large the cache would have to be: all its tokens and the new ones");
}

TEST_CASE("a row that is full leaves all rows as they were") {
  NaNMemory memory;
  StaticLayer layer(3, {kHeads, kDim, KvFormat::kF32}, 4, &memory);
  const auto keys = whole_numbers(9, kHeads, kDim, 1), values = whole_numbers(9, kHeads, kDim, 2);
  const std::vector<RowTokens> first = {{0, 0, 2}, {1, 2, 3}, {2, 5, 1}};
  layer.update(keys, values, first);
  expect_refused(3, 2, 4);  // or else the update below would write behind the memory's end
  const std::vector<RowTokens> more = {{2, 6, 1}, {1, 7, 2}};
  expect_error("an update of which row 1 does not fit", ErrorCode::kRange,
               [&] { layer.update(keys, values, more); });
  const std::vector<Index> lengths = {layer.get_seq_length(0), layer.get_seq_length(1),
                                      layer.get_seq_length(2)};
  expect_equal<std::vector<Index>>("the lengths of the rows", lengths, {2, 3, 1});
  expect_close("the keys of row 1", shown_numbers(layer.blocks(1)[0].keys, kHeads, 3, kDim).view(),
               by_heads(keys, {2, 3, 4}).view(), 0);
}

}  // namespace
}  // namespace llm::grading
