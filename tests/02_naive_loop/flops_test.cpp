#include "chapters/02_naive_loop/flops.h"

#include <doctest/doctest.h>

#include "common/config/known_shapes.h"
#include "tests/02_naive_loop/random_model.h"

namespace llm::test {
namespace {

TEST_CASE("attention is a small part of a layer's work until the text is long") {
  const ModelConfig qwen3 = random_config("qwen3-0.6b");
  CHECK(linear_flops(qwen3) == 31'457'280);
  CHECK(attention_share(qwen3, 50) == doctest::Approx(0.0129).epsilon(0.01));
  CHECK(attention_share(qwen3, 111) == doctest::Approx(0.0281).epsilon(0.01));
  CHECK(attention_break_even(qwen3) == doctest::Approx(3840));
  CHECK(attention_share(qwen3, 3840) == doctest::Approx(0.5));
}

// Counts a pass one position, one key at a time.
double counted(const ModelConfig& config, Index first, Index count, Index kept) {
  double flops = 0;
  for (Index l = 0; l < config.num_hidden_layers; ++l)
    for (Index q = first; q < first + count; ++q) {
      flops += static_cast<double>(linear_flops(config));
      for (Index s = 0; s <= q; ++s)
        if (!config.window(l) || q - s < *config.window(l))
          flops += static_cast<double>(attention_flops(config, 1));
    }
  return flops + static_cast<double>(kept * head_flops(config));
}

TEST_CASE("a pass is the sum over its positions, windows included") {
  ModelConfig config = awkward_config("qwen3");
  config.sliding_window = 4;
  config.layer_types[1] = LayerType::kSlidingAttention;
  CHECK(linear_flops(config) == 2 * (20 * 36 * 2 + 20 * 12 * 2 + 3 * 20 * 23));
  CHECK(head_flops(config) == 2 * 20 * 37);
  for (const Index first : {0, 1, 3, 4, 9})
    for (const Index count : {1, 2, 4, 5, 11})
      CHECK(forward_flops(config, first, count, 1) == doctest::Approx(counted(config, first, count, 1)));
}

TEST_CASE("five prompt tokens and 64 new ones: 2,336 positions, or 68 with a cache") {
  const ModelConfig config = awkward_config("llama");
  const LoopWork naive = naive_work(config, 5, 64);
  CHECK(naive.positions == 2336);
  CHECK(naive.needed == 68);
  CHECK(naive.redundant() == 2268);
  const LoopWork cached = cached_work(config, 5, 64);
  CHECK(cached.positions == 68);
  CHECK(cached.redundant() == 0);
  // With a cache the positions of the whole text are each computed once, with scores at 64 of them.
  CHECK(cached.flops == doctest::Approx(forward_flops(config, 0, 68, 64)));
  double flops = 0;
  for (Index i = 0; i < 64; ++i) flops += forward_flops(config, 0, 5 + i, 1);
  CHECK(naive.flops == doctest::Approx(flops));
  CHECK(naive_work(config, 5, 1).redundant() == 0);
  CHECK(naive_work(config, 5, 0).redundant() == 0);
}

}  // namespace
}  // namespace llm::test
