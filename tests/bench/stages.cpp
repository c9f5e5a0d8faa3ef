#include "tests/bench/stages.h"

#include <algorithm>
#include <vector>

#include "chapters/02_naive_loop/flops.h"
#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/02_naive_loop/transformer.h"
#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "common/base/rng.h"
#include "common/base/timing.h"

namespace llm {
namespace {

constexpr Index kLeastRuns = 3;
constexpr Index kMostRuns = 50;

std::vector<Token> random_prompt(Index length, Index vocab_size) {
  std::vector<Token> ids;
  const RngKey key = {.purpose = RngPurpose::kTest};
  for (Index i = 0; i < length; ++i)
    ids.push_back(
        static_cast<Token>(uniform(key, static_cast<std::uint32_t>(i)) * static_cast<double>(vocab_size)));
  return ids;
}

// Runs once to warm up, then as often as fits into the time; run() returns tokens a second.
template <class F>
Samples repeat(double seconds, MachineLimits& limits, F&& run) {
  Samples samples;
  run();
  const Stopwatch watch;
  while (samples.count() < kLeastRuns || (watch.seconds() < seconds && samples.count() < kMostRuns)) {
    if (samples.count() < 3) limits.look();
    samples.add(run());
  }
  return samples;
}

// What a token reads of the weights: every matrix once, as float32.
double weight_bytes(const ModelConfig& config) {
  const Index weights = (config.num_hidden_layers * linear_flops(config) + head_flops(config)) / 2;
  return static_cast<double>(weights) * 4;
}

// Chapter 02: everything from the start for every token.
StageResult run_naive(const OpenModel& opened, const BenchSettings& settings, MachineLimits& limits) {
  Transformer model(opened.config, opened.checkpoint);
  const ModelConfig& config = opened.config;
  const Index P = settings.prompt_tokens, N = settings.new_tokens;
  const std::vector<Token> prompt = random_prompt(P, config.vocab_size);
  const auto next_token = [&](const std::vector<Token>& ids) {
    return model.forward(FullBatch(ids).batch(), nullptr, {.logits_to_keep = 1}).argmax()[0];
  };

  StageResult result;
  result.stage = "naive";
  result.dtype = "f32";
  result.prefill_tokens_per_s = repeat(settings.seconds, limits, [&] {
    const Stopwatch watch;
    next_token(prompt);
    return static_cast<double>(P) / watch.seconds();
  });
  result.decode_tokens_per_s = repeat(settings.seconds, limits, [&] {
    std::vector<Token> ids = prompt;
    ids.push_back(next_token(ids));  // the prefill's token is not counted
    const Stopwatch watch;
    for (Index i = 0; i < N; ++i) ids.push_back(next_token(ids));
    return static_cast<double>(N) / watch.seconds();
  });
  result.prefill_flops = forward_flops(config, 0, P, 1) / static_cast<double>(P);
  result.decode_flops = naive_work(config, P + 1, N).flops / static_cast<double>(N);
  result.decode_bytes = weight_bytes(config);
  result.memory_bytes = peak_resident_bytes() - limits.own_bytes();
  return result;
}

// Chapter 03: the prompt once, then one token at a time.
StageResult run_cached(const OpenModel& opened, const BenchSettings& settings, MachineLimits& limits) {
  Transformer model(opened.config, opened.checkpoint, cached_engine(dynamic_cache_kinds()));
  const ModelConfig& config = opened.config;
  const Index P = settings.prompt_tokens, N = settings.new_tokens;
  const std::vector<Token> prompt = random_prompt(P, config.vocab_size);

  StageResult result;
  result.stage = "cached";
  result.dtype = "f32";
  result.prefill_tokens_per_s = repeat(settings.seconds, limits, [&] {
    const auto cache = model.make_cache({});
    const Stopwatch watch;
    prefill(model, *cache, prompt).argmax();
    return static_cast<double>(P) / watch.seconds();
  });
  result.decode_tokens_per_s = repeat(settings.seconds, limits, [&] {
    const auto cache = model.make_cache({});
    std::vector<Token> next = prefill(model, *cache, prompt).argmax();
    const Stopwatch watch;
    for (Index i = 0; i < N; ++i) {
      const NewTokens step(next, *cache);
      next = model.forward(step.batch(), cache.get(), {.logits_to_keep = 1}).argmax();
    }
    return static_cast<double>(N) / watch.seconds();
  });
  result.prefill_flops = forward_flops(config, 0, P, 1) / static_cast<double>(P);
  result.decode_flops = forward_flops(config, P, N, N) / static_cast<double>(N);
  result.decode_bytes =
      weight_bytes(config) + static_cast<double>(cache_bytes(dynamic_cache_kinds(), config, {}, P + N / 2));
  result.memory_bytes = peak_resident_bytes() - limits.own_bytes();
  return result;
}

constexpr Stage kStages[] = {
    {"naive", run_naive},
    {"cached", run_cached},
};

}  // namespace

std::span<const Stage> stages() { return kStages; }

}  // namespace llm
