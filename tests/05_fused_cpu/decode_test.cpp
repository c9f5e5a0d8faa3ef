// A decode loop with a static cache needs no new memory once it is warm.
#include <doctest/doctest.h>

#include "tests/04_preallocated_cache/count_news.h"
#include "tests/05_fused_cpu/engine_cases.h"

namespace llm::test {
namespace {

TEST_CASE("decoding with a static cache allocates nothing: one row, a batch, drafts") {
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kQ4_0})
    for (const Compute compute : {Compute::kExact, Compute::kFast})
      for (const LadderStep& step : ladder_steps()) {
        CAPTURE(step.name);
        CAPTURE(dtype_name(dtype));
        const ModelConfig config = block_config("qwen3");
        const auto model =
            fused(config, checkpoint_in(config, dtype, 1), {.num_threads = 2, .compute = compute}, &step);
        TestMemory memory;
        const CacheSpec spec{.cache = "static", .num_rows = 3, .max_cache_len = 80, .memory = &memory};
        const auto cache = model->make_cache(spec);
        std::vector<Token> ids(15, 7);
        std::vector<Index> positions(15);
        const auto decode = [&] {
          cache->reset();
          for (Index step_number = 0; step_number < 12; ++step_number)
            for (const Index rows : {1, 3})
              for (const Index tokens : {1, 5}) {
                if (step_number % 4 != 0 && tokens == 5) continue;  // and fewer drafts than steps
                if (cache->get_seq_length(0) + tokens > 80) continue;
                for (Index i = 0; i < rows * tokens; ++i) {
                  positions[static_cast<std::size_t>(i)] = cache->get_seq_length(i / tokens) + i % tokens;
                  ids[static_cast<std::size_t>(i)] = static_cast<Token>((7 * step_number + i) % 83);
                }
                model
                    ->forward({.input_ids = {ids.data(), {rows, tokens}},
                               .position_ids = {positions.data(), {rows, tokens}}},
                              cache.get(), {})
                    .host();
              }
        };
        // Which thread gets how much work is up to chance, so warming up may take more than one round.
        const Index allocations = memory.allocations;
        long before = -1;
        for (int round = 0; round < 20 && before != count_news(); ++round) {
          before = count_news();
          decode();
        }
        CHECK(count_news() == before);
        CHECK(memory.allocations == allocations);
      }
}

// The tokens themselves are handed over in a vector: that is all.
TEST_CASE("asking for the best token costs the vector that it comes in") {
  const ModelConfig config = block_config("llama");
  const auto model = fused(config, to_checkpoint(config, random_weights(config, 1)), {.num_threads = 2});
  const auto cache = model->make_cache({.cache = "static", .max_cache_len = 100});
  const auto decode = [&] {
    cache->reset();
    for (Index position = 0; position < 50; ++position) {
      const Token id = static_cast<Token>(position * 7 % 83);
      model->forward({.input_ids = {&id, {1, 1}}, .position_ids = {&position, {1, 1}}}, cache.get(), {})
          .argmax();
    }
  };
  decode();
  const long before = count_news();
  decode();
  CHECK(count_news() - before <= 2 * 50);
}

}  // namespace
}  // namespace llm::test
