// The table of kinds: what it refuses, and that the formula says what is allocated.
#include <doctest/doctest.h>

#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/04_preallocated_cache/test_memory.h"

namespace llm::test {
namespace {

std::string refusal(const CacheSpec& spec, std::optional<Index> window = {}) {
  ModelConfig config = awkward_config("llama");
  config.head_dim = 12;
  if (window) set_sliding_window(config, *window);
  try {
    (void)make_any_cache(nullptr, config, spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect(const std::string& message, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    CAPTURE(message);
    CHECK(message.find(word) != std::string::npos);
  }
}

TEST_CASE("each mistake is one sentence that says what would be right") {
  for (const bool offload : {false, true}) {
    expect(refusal({.cache = "paged", .offload = offload}),
           {"'paged'", "dynamic, static, sliding, int8, int4"});
    expect(refusal({.cache = "static", .offload = offload}), {"max_cache_len", "not given"});
    for (const Index bad : {0, -3})
      for (const char* cache : {"static", "int8", "int4"})
        expect(refusal({.cache = cache, .offload = offload, .max_cache_len = bad}),
               {"max_cache_len", "1 to", bad == 0 ? "got 0" : "-3"});
    expect(refusal({.cache = "sliding", .offload = offload}), {"every layer", "--sliding-window"});
    expect(refusal({.cache = "sliding", .offload = offload, .sliding_window = 4}), {"--sliding-window"});
    expect(refusal({.cache = "sliding", .offload = offload, .sliding_window = 4}, 5), {"4", "5"});
    expect(refusal({.cache = "sliding", .offload = offload, .max_chunk = 0}, 5), {"max_chunk", "at least 1"});
    expect(refusal({.cache = "sliding", .offload = offload, .max_cache_len = 0}, 5), {"max_cache_len"});
    for (const Index bad : {-1, 0, 5, 24})
      for (const char* cache : {"int8", "int4"})
        expect(refusal({.cache = cache, .offload = offload, .group_size = bad}),
               {"group_size", "divisor of head_dim 12"});
    expect(refusal({.cache = "int4", .offload = offload, .group_size = 3}), {"group_size", "even"});
    CHECK(refusal({.cache = "int8", .offload = offload, .group_size = 3}).empty());
    expect(refusal({.cache = "int8", .offload = offload, .residual_length = -1}), {"residual_length"});
    for (const char* cache : {"dynamic", "static", "int8"})
      expect(refusal({.cache = cache, .cache_dtype = "f8", .offload = offload, .max_cache_len = 5}),
             {"'f8'", "f32, bf16 or f16"});
    expect(refusal({.cache = "dynamic", .offload = offload, .num_rows = 0}), {"rows", "at least 1"});
  }
  ModelConfig config = awkward_config("llama");
  for (const Index bad : {0, -2}) CHECK_THROWS_AS(set_sliding_window(config, bad), Error);
}

TEST_CASE("far more than this machine has") {
  expect(refusal({.cache = "static", .num_rows = 1 << 20, .max_cache_len = Index{1} << 31}), {"memory"});
}

TEST_CASE("a window for a model: for its layers with a window, or for all") {
  ModelConfig full = awkward_config("llama");
  set_sliding_window(full, 6);
  for (Index l = 0; l < 3; ++l) CHECK(full.window(l) == 6);
  ModelConfig mixed = awkward_config("llama");
  mixed.sliding_window = 100;
  mixed.layer_types[1] = LayerType::kSlidingAttention;
  set_sliding_window(mixed, 6);
  CHECK(!mixed.window(0));
  CHECK(mixed.window(1) == 6);
}

TEST_CASE("bytes by formula are the bytes that are allocated, for every kind and number of rows") {
  ModelConfig config = awkward_config("qwen3");
  config.sliding_window = 9;
  config.layer_types = {LayerType::kSlidingAttention, LayerType::kFullAttention,
                        LayerType::kSlidingAttention};
  for (const Index rows : {1, 3})
    for (const Index tokens : {1, 8, 50, 200})
      for (const char* dtype : {"f32", "bf16"})
        for (const CacheKind* kind : all_cache_kinds()) {
          TestMemory memory;
          CacheSpec spec{.cache = std::string(kind->name),
                         .cache_dtype = dtype,
                         .num_rows = rows,
                         .max_cache_len = tokens,
                         .max_chunk = 4,
                         .residual_length = 16,
                         .memory = &memory};
          CAPTURE(cache_name(spec));
          CAPTURE(tokens);
          const auto cache = make_any_cache(nullptr, config, spec);
          if (spec.cache == "dynamic") {
            const Tensor<float, 3> values({tokens * rows, 2, 6}, 1.0f);
            std::vector<RowTokens> spans;
            for (Index row = 0; row < rows; ++row) spans.push_back({row, row * tokens, tokens});
            for (Index l = 0; l < 3; ++l) cache->layer(l).update(values.view(), values.view(), spans);
          }
          CHECK(cache->memory_bytes() == memory.bytes);
          CHECK(rows * cache_bytes(all_cache_kinds(), config, spec, tokens) == memory.bytes);
        }
}

TEST_CASE("layers of a mixed model: rings where there is a window, everything elsewhere") {
  ModelConfig config = awkward_config("qwen3");
  config.sliding_window = 4;
  config.layer_types = {LayerType::kFullAttention, LayerType::kSlidingAttention, LayerType::kFullAttention};
  for (const std::optional<Index> length : {std::optional<Index>(), std::optional<Index>(30)}) {
    const auto cache = make_any_cache(nullptr, config, {.cache = "sliding", .max_cache_len = length});
    const Tensor<float, 3> values({1, 2, 6}, 1.0f);
    const RowTokens one{.row = 0, .begin = 0, .count = 1};
    for (Index i = 0; i < 30; ++i)
      for (Index l = 0; l < 3; ++l) cache->layer(l).update(values.view(), values.view(), {&one, 1});
    CHECK(cache->layer(0).blocks(0).front().first_position == 0);
    CHECK(cache->layer(1).blocks(0).front().first_position == 26);
    CHECK_THROWS_AS(cache->crop(0, 20), Error);  // the ring refuses: no layer is cropped
    for (Index l = 0; l < 3; ++l) CHECK(cache->layer(l).get_seq_length(0) == 30);
    cache->crop(0, 29);
    cache->crop(0, 0);
    CHECK(cache->get_seq_length(0) == 0);
  }
}

}  // namespace
}  // namespace llm::test
