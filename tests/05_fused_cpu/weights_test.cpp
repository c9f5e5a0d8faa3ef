// Weights in other formats than float32: exact against chapter 02's engine on the same weights, fast within a
// bound.
#include <doctest/doctest.h>

#include "common/base/large_pages.h"
#include "tests/05_fused_cpu/engine_cases.h"

namespace llm::test {
namespace {

// What x rounded to bfloat16 (8 bits) or to 8 bits with a scale for each 32 values does to the scores of a
// model of 3 layers with random weights, relative to the largest score.
double fast_bound(DType dtype) {
  if (dtype == DType::kBF16) return 0.02;
  return dtype == DType::kQ8_0 || dtype == DType::kQ4_0 ? 0.04 : 1e-5;
}

TEST_CASE("converted weights: exact gives chapter 02's scores, fast is near, and both are reproducible") {
  for (const char* family : {"llama", "qwen2", "qwen3"})
    for (const DType dtype : {DType::kF16, DType::kBF16, DType::kQ8_0, DType::kQ4_0}) {
      const ModelConfig config = block_config(family);
      Transformer naive(config, checkpoint_in(config, dtype, 6));
      const std::vector<std::vector<Token>> rows = {text(33, 83), text(20, 83, 1), text(4, 83, 2)};
      const std::vector<float> expected = scores(naive, rows);
      for (const LadderStep& step : ladder_steps())
        for (const Isa isa : available_isas()) {
          if (isa != active_isa() && step.number < 8) continue;
          if (family != std::string("qwen3") && step.number < 8) continue;
          CAPTURE(family);
          CAPTURE(dtype_name(dtype));
          CAPTURE(step.name);
          CAPTURE(isa_name(isa));
          FusedOptions options{.num_threads = 2, .isa = isa};
          const auto exact = fused(config, checkpoint_in(config, dtype, 6), options, &step);
          CHECK(relative_error(scores(*exact, rows), expected) < 1e-5);
          options.compute = Compute::kFast;
          const auto fast = fused(config, checkpoint_in(config, dtype, 6), options, &step);
          const double error = relative_error(scores(*fast, rows), expected);
          CHECK(error < fast_bound(dtype));
          const Kernels& kernels = kernels_for(isa);
          const bool rounds = step.number >= 6 &&
                              ((dtype == DType::kBF16 && kernels.product_bf16) || fast_bound(dtype) > 0.03);
          if (rounds) {
            CHECK(error > 1e-5);
          } else {
            CHECK(scores(*fast, rows) == scores(*exact, rows));
          }
        }
    }
}

TEST_CASE("weights of several formats in one model, rows that no block divides among them") {
  ModelConfig config = block_config("qwen3");
  config.intermediate_size = 50;  // down_proj stays float32
  const auto checkpoint = [&] {
    const auto made = to_checkpoint(config, random_weights(config, 3));
    CHECK(made->convert(DType::kQ8_0).size() == 3);
    return made;
  };
  Transformer naive(config, checkpoint());
  const std::vector<float> expected = scores(naive, {text(30, 83)});
  for (const LadderStep& step : ladder_steps()) {
    CAPTURE(step.name);
    const auto exact = fused(config, checkpoint(), {.num_threads = 2}, &step);
    CHECK(relative_error(scores(*exact, {text(30, 83)}), expected) < 1e-5);
    const auto fast = fused(config, checkpoint(), {.num_threads = 2, .compute = Compute::kFast}, &step);
    CHECK(relative_error(scores(*fast, {text(30, 83)}), expected) < 0.04);
  }
}

TEST_CASE("weights of a file are loaded into large pages once, unless they are to stay: the same scores") {
  const ModelConfig config = block_config("qwen3");
  const auto checkpoint = to_checkpoint(config, random_weights(config, 8));
  const std::vector<std::vector<Token>> rows = {text(20, 83)};
  const auto mapped = fused(config, checkpoint, {.num_threads = 2, .mapped_weights = true});
  CHECK(checkpoint->copied_bytes() == 0);
  const std::vector<float> expected = scores(*mapped, rows);
  const auto loaded = fused(config, checkpoint, {.num_threads = 2});
  CHECK(checkpoint->copied_bytes() == (large_pages_available() ? checkpoint->weight_bytes() : 0));
  CHECK(scores(*loaded, rows) == expected);
  CHECK(scores(*mapped, rows) == expected);  // the engine that was there before
}

TEST_CASE("words for --compute") {
  CHECK(parse_compute("exact") == Compute::kExact);
  CHECK(parse_compute("fast") == Compute::kFast);
  for (const char* word : {"", "Fast", "approximate"})
    CHECK_THROWS_WITH_AS(parse_compute(word), doctest::Contains("expected exact or fast"), Error);
}

TEST_CASE("the ladder: steps 3 to 8 in order, the last one is what the engine uses") {
  int number = 3;
  for (const LadderStep& step : ladder_steps()) CHECK(step.number == number++);
  CHECK(number == 9);
  CHECK_THROWS_WITH_AS(make_operators({.num_threads = 0}), doctest::Contains("number of threads 0"), Error);
  CHECK_THROWS_WITH_AS(make_operators({.num_threads = 10'000}), doctest::Contains("number of threads 10000"),
                       Error);
}

}  // namespace
}  // namespace llm::test
