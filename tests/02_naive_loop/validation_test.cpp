// Batches that make no sense are refused before anything is computed.
#include <doctest/doctest.h>

#include <functional>

#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/02_naive_loop/kv_rows.h"
#include "tests/02_naive_loop/block_cache.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/random_model.h"

namespace llm::test {
namespace {

// A good batch of two rows of three tokens, to be spoilt.
struct Parts {
  Tensor<Token, 2> ids = Tensor<Token, 2>({2, 3}, 1);
  Tensor<Index, 2> positions = Tensor<Index, 2>({2, 3}, 0);
  Tensor<std::uint8_t, 2> mask = Tensor<std::uint8_t, 2>({2, 3}, std::uint8_t{1});
  Tensor<float, 3> embeds = Tensor<float, 3>({2, 3, 20}, 0.5f);
  std::vector<Index> rows = {0, 1};
  Batch batch;

  Parts() : batch{.input_ids = ids, .position_ids = positions, .attention_mask = mask, .rows = rows} {}
};

struct Refusal {
  ErrorCode code;
  std::string message;
};

Refusal refusal(const std::function<void(Parts&)>& spoil, bool with_cache = false) {
  static const ModelConfig config = awkward_config("llama");
  static Transformer model(config, to_checkpoint(config, random_weights(config, 1)), with_block_cache());
  Parts parts;
  spoil(parts);
  const auto cache = model.make_cache({.num_rows = 3});
  try {
    model.forward(parts.batch, with_cache ? cache.get() : nullptr, {});
  } catch (const Error& error) {
    CHECK(cache->get_seq_length(0) == 0);
    return {error.code(), error.what()};
  }
  return {ErrorCode::kIo, "nothing was refused"};
}

void check(const Refusal& refusal, ErrorCode code, const std::vector<std::string>& words) {
  CAPTURE(refusal.message);
  CHECK(refusal.code == code);
  for (const std::string& word : words) CHECK_MESSAGE(refusal.message.find(word) != std::string::npos, word);
}

TEST_CASE("the good batch is accepted") {
  CHECK(refusal([](Parts&) {}).message == "nothing was refused");
  CHECK(refusal([](Parts&) {}, true).message == "nothing was refused");
  CHECK(refusal([](Parts& p) { p.mask(1, 0) = 0, p.mask(1, 1) = 0; }).message == "nothing was refused");
}

TEST_CASE("ids outside the vocabulary: row, column, id, range") {
  check(refusal([](Parts& p) { p.ids(1, 2) = 37; }), ErrorCode::kRange,
        {"[1][2]", "37", "0 to 36", "vocab_size"});
  check(refusal([](Parts& p) { p.ids(0, 0) = -1; }), ErrorCode::kRange, {"[0][0]", "-1"});
}

TEST_CASE("positions outside the model's length") {
  check(refusal([](Parts& p) { p.positions(0, 1) = 500; }), ErrorCode::kRange,
        {"[0][1]", "500", "499", "max_position_embeddings"});
  check(refusal([](Parts& p) { p.positions(0, 1) = -1; }), ErrorCode::kRange, {"-1"});
}

TEST_CASE("padding on the right, holes, a row of padding") {
  check(refusal([](Parts& p) { p.mask(1, 2) = 0; }), ErrorCode::kUnsupported, {"[1][2]", "left"});
  check(refusal([](Parts& p) { p.mask(0, 1) = 0; }), ErrorCode::kUnsupported, {"[0][1]", "left"});
  check(refusal([](Parts& p) { p.mask(1, 0) = p.mask(1, 1) = p.mask(1, 2) = 0; }), ErrorCode::kUsage,
        {"row 1", "padding"});
}

TEST_CASE("no input, two inputs, no tokens") {
  check(refusal([](Parts& p) { p.batch.input_ids = {}; }), ErrorCode::kUsage, {"input_ids", "inputs_embeds"});
  check(refusal([](Parts& p) { p.batch.inputs_embeds = p.embeds; }), ErrorCode::kUsage, {"either"});
  check(refusal([](Parts& p) { p.batch.input_ids = {p.ids.data(), {2, 0}}; }), ErrorCode::kUsage, {"empty"});
  check(refusal([](Parts& p) { p.batch.input_ids = {p.ids.data(), {0, 3}}; }), ErrorCode::kUsage, {"empty"});
}

TEST_CASE("shapes that do not fit each other") {
  const Tensor<Index, 2> positions({2, 4}, 0);
  const Tensor<std::uint8_t, 2> mask({3, 3}, std::uint8_t{1});
  const Tensor<float, 3> embeds({2, 3, 21}, 0.0f);
  check(refusal([&](Parts& p) { p.batch.position_ids = positions; }), ErrorCode::kShape,
        {"position_ids", "[2,4]", "[2,3]"});
  check(refusal([&](Parts& p) { p.batch.position_ids = {}; }), ErrorCode::kShape, {"position_ids"});
  check(refusal([&](Parts& p) { p.batch.attention_mask = mask; }), ErrorCode::kShape,
        {"attention_mask", "[3,3]"});
  check(refusal([&](Parts& p) { p.batch.input_ids = {}, p.batch.inputs_embeds = embeds; }), ErrorCode::kShape,
        {"inputs_embeds", "[2,3,20]"});
  check(refusal([](Parts& p) { p.rows = {0}, p.batch.rows = p.rows; }), ErrorCode::kShape, {"rows"});
}

TEST_CASE("rows of the cache: outside it, twice the same") {
  check(refusal([](Parts& p) { p.rows[1] = 3; }, true), ErrorCode::kRange, {"rows", "3", "0 to 2"});
  check(refusal([](Parts& p) { p.rows[1] = -1; }, true), ErrorCode::kRange, {"-1"});
  check(refusal([](Parts& p) { p.rows[1] = 0; }, true), ErrorCode::kUsage, {"twice"});
}

TEST_CASE("a cache that another engine made, and one from an engine without caches") {
  const ModelConfig config = awkward_config("llama");
  const auto checkpoint = to_checkpoint(config, random_weights(config, 1));
  Transformer first(config, checkpoint, with_block_cache()), second(config, checkpoint, with_block_cache());
  const auto cache = second.make_cache({});
  const FullBatch batch(std::vector<Token>{1, 2});
  CHECK_THROWS_WITH_AS(first.forward(batch.batch(), cache.get(), {}), doctest::Contains("another engine"),
                       Error);
  CHECK_NOTHROW(second.forward(batch.batch(), cache.get(), {}));

  const Transformer naive(config, checkpoint);
  CHECK(naive.name() == "naive");
  CHECK_THROWS_WITH_AS(naive.make_cache({}), doctest::Contains("cached"), Error);
}

TEST_CASE("keys in another device's memory are refused, not read") {
  Buffer scratch;
  const float values[4] = {};
  for (const KvFormat format : {KvFormat::kF32, KvFormat::kBF16, KvFormat::kInt8}) {
    const KvView view{
        .format = format, .device = Device::kCuda, .data = reinterpret_cast<const std::byte*>(values)};
    CHECK_THROWS_AS(kv_rows(view, 0, 0, 1, 4, scratch), Error);
  }
}

}  // namespace
}  // namespace llm::test
