// How much memory caches take, against numbers worked out by hand.
#include <doctest/doctest.h>

#include "chapters/04_preallocated_cache/cache_memory.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "tests/02_naive_loop/random_model.h"

namespace llm::test {
namespace {

constexpr Index kMiB = Index{1} << 20, kGiB = Index{1} << 30;
const CacheSpec kBf16{.cache = "static", .cache_dtype = "bf16"};

TEST_CASE("well-known models, by hand: 2 * layers * key/value heads * head_dim * bytes a value") {
  const auto shapes = well_known_shapes();
  REQUIRE(shapes.size() == 4);
  CHECK(memory_needed(shapes[0].config, kBf16, 1024) == 112 * kMiB);
  CHECK(memory_needed(shapes[0].config, {.cache = "dynamic"}, 1024) == 224 * kMiB);
  CHECK(memory_needed(shapes[1].config, kBf16, 32768) == Index{2} * 28 * 4 * 128 * 2 * 32768);
  CHECK(memory_needed(shapes[2].config, kBf16, 32768) == 10 * kGiB);
  CHECK(memory_needed(shapes[3].config, kBf16, 32768) == 80 * kGiB);
}

TEST_CASE("codes and scales are counted, and the tail") {
  const ModelConfig config = well_known_shapes()[0].config;  // 28 layers of 8 heads of 128
  const Index values = 2 * 28 * 8 * 128;                     // of a token
  const Index tail = 136 * values * 2;
  CacheSpec spec{.cache = "int8", .cache_dtype = "bf16"};
  CHECK(memory_needed(config, spec, 32768) == (32768 - 128) * (values + values / 64 * 4) + tail);
  spec.cache = "int4";
  CHECK(memory_needed(config, spec, 32768) == (32768 - 128) * (values / 2 + values / 64 * 4) + tail);
  spec.group_size = 32;
  spec.residual_length = 0;
  CHECK(memory_needed(config, spec, 1000) == 1000 * (values / 2 + values / 32 * 4) + 8 * values * 2);
}

TEST_CASE("offloaded: the two layers that are resident at once, also where layers differ") {
  ModelConfig config = awkward_config("llama");
  config.sliding_window = 5;
  config.layer_types = {LayerType::kFullAttention, LayerType::kSlidingAttention, LayerType::kFullAttention};
  const CacheSpec sliding{.cache = "sliding", .offload = true};
  const Index token = 2 * 2 * 6 * 4;
  CHECK(memory_needed(config, {.cache = "static", .offload = true}, 100) == 2 * 100 * token);
  CHECK(memory_needed(config, sliding, 100) == 2 * 100 * token);  // the last layer and the first
  config.layer_types[2] = LayerType::kSlidingAttention;
  CHECK(memory_needed(config, sliding, 100) == (100 + 5) * token);
  CHECK(memory_needed(config, sliding, 3) == 2 * 3 * token);
}

TEST_CASE("the longest text in a memory: it fits, and one token more does not") {
  ModelConfig config = awkward_config("llama");
  for (const CacheSpec& spec : compared_caches(config))
    for (const Index budget : {1000, 54321, 1 << 22}) {
      CAPTURE(cache_name(spec));
      const Index longest = longest_text(config, spec, budget);
      if (longest > 0) CHECK(memory_needed(config, spec, longest) <= budget);
      CHECK(memory_needed(config, spec, longest + 1) > budget);
    }
  CHECK(longest_text(config, kBf16, 0) == 0);
  const Index token = 3 * 2 * 2 * 6 * 2;
  CHECK(longest_text(config, kBf16, 10 * token - 1) == 9);
  CHECK(longest_text(config, kBf16, 10 * token) == 10);
  set_sliding_window(config, 4);
  CHECK(longest_text(config, {.cache = "sliding"}, 10 * 2 * token) == kUnlimitedTokens);
  CHECK(longest_text(config, {.cache = "sliding"}, 3 * 2 * token) == 3);
}

TEST_CASE("tables name every kind once, and a ring where there is a window") {
  ModelConfig config = awkward_config("llama");
  const Index lengths[] = {10, 100};
  CHECK(memory_table(config, lengths, 1 << 20).text().find("sliding") == std::string::npos);
  set_sliding_window(config, 4);
  const std::string text = memory_table(config, lengths, 1 << 20).text();
  for (const char* words : {"dynamic f32", "static bf16", "sliding bf16", "int8, tail bf16",
                            "int4, tail bf16", "dynamic bf16, offloaded", "any number", "100 tokens"})
    CHECK(text.find(words) != std::string::npos);
}

TEST_CASE("the machine has some memory") { CHECK(machine_memory_bytes() > 256 * kMiB); }

}  // namespace
}  // namespace llm::test
