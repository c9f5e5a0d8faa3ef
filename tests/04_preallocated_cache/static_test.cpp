// The preallocated cache: its capacity, and that nothing is allocated once it is there.
#include <doctest/doctest.h>

#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/static_layer.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/04_preallocated_cache/count_news.h"
#include "tests/04_preallocated_cache/numbered_tokens.h"
#include "tests/04_preallocated_cache/test_memory.h"

namespace llm::test {
namespace {

const KvShape kShape = {2, 4, KvFormat::kF32};

TEST_CASE("a full cache says the capacity that is needed, and stores nothing of any row") {
  StaticLayer layer(2, kShape, 7);
  append_numbered(layer, 0, 0, 5);
  Tensor<float, 3> tokens({6, 2, 4}, 1.0f);
  const RowTokens both[] = {{.row = 1, .begin = 0, .count = 3}, {.row = 0, .begin = 3, .count = 3}};
  CHECK_THROWS_WITH_AS(
      layer.update(tokens.view(), tokens.view(), both),
      "cache: is full: 5 tokens and 3 more, expected at most 7; max_cache_len must be 8 or more", Error);
  CHECK(holds_numbered(layer, 0, 5));
  CHECK(layer.get_seq_length(1) == 0);
  append_numbered(layer, 0, 5, 2);
  CHECK(holds_numbered(layer, 0, 7));
}

TEST_CASE("two pieces for the same row count together") {
  StaticLayer layer(1, kShape, 5);
  const Tensor<float, 3> tokens({6, 2, 4}, 1.0f);
  const RowTokens twice[] = {{.row = 0, .begin = 0, .count = 3}, {.row = 0, .begin = 3, .count = 3}};
  CHECK_THROWS_AS(layer.update(tokens.view(), tokens.view(), twice), Error);
  CHECK(layer.get_seq_length(0) == 0);
  const RowTokens fits[] = {{.row = 0, .begin = 0, .count = 3}, {.row = 0, .begin = 3, .count = 2}};
  layer.update(tokens.view(), tokens.view(), fits);
  CHECK(layer.get_seq_length(0) == 5);
}

TEST_CASE("one block a row, at the same place from the first token to the last") {
  TestMemory memory;
  StaticLayer layer(1, kShape, 9, &memory);
  CHECK(layer.blocks(0).empty());
  append_numbered(layer, 0, 0, 1);
  const std::byte* data = layer.blocks(0)[0].keys.data;
  for (Index i = 1; i < 9; ++i) append_numbered(layer, 0, i, 1);
  CHECK(layer.blocks(0)[0].keys.data == data);
  CHECK(holds_numbered(layer, 0, 9));
  CHECK(memory.bytes == layer.memory_bytes());
  CHECK(layer.memory_bytes() == StaticRow::memory_bytes(kShape, 9));
}

TEST_CASE("appending, cropping and reordering the same rows allocate nothing that stays") {
  TestMemory memory;
  StaticLayer layer(3, kShape, 40, &memory);
  const Index allocations = memory.allocations;
  const Tensor<float, 3> tokens({3, 2, 4}, 1.0f);
  const RowTokens rows[] = {{.row = 0, .begin = 0, .count = 1},
                            {.row = 1, .begin = 1, .count = 1},
                            {.row = 2, .begin = 2, .count = 1}};
  const long before = count_news();
  for (int step = 0; step < 20; ++step) {
    layer.update(tokens.view(), tokens.view(), rows);
    layer.crop(0, layer.get_seq_length(0) - 1);
    for (const Index row : {0, 1, 2}) CHECK(layer.blocks(row).size() < 2);
  }
  CHECK(count_news() == before);
  layer.reorder(std::vector<Index>{2, 2, 0});  // beams
  layer.reset();
  CHECK(memory.allocations == allocations);
}

TEST_CASE("a decode loop with a static cache allocates no memory for keys, values or activations") {
  const ModelConfig config = awkward_config("qwen3");
  Transformer model(config, to_checkpoint(config, random_weights(config, 1)), any_cache_engine());
  TestMemory memory;
  CacheSpec spec{.cache = "static", .max_cache_len = 50, .memory = &memory};
  const auto cache = model.make_cache(spec);
  const auto decode = [&] {
    cache->reset();
    for (Index position = 0; position < 50; ++position) {
      const Token id = static_cast<Token>(position * 7 % 37);
      model.forward({.input_ids = {&id, {1, 1}}, .position_ids = {&position, {1, 1}}}, cache.get(), {});
    }
  };
  decode();  // the engine's own buffers grow
  const Index allocations = memory.allocations, workspace = model.workspace().bytes();
  const long before = count_news();
  decode();
  CHECK(count_news() == before);
  CHECK(memory.allocations == allocations);
  CHECK(model.workspace().bytes() == workspace);
}

}  // namespace
}  // namespace llm::test
