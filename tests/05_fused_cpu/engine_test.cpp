// The engine keeps what the seam promises, and computes what the formulas and chapter 02 compute: on every
// step of the ladder, with every kind of cache.
#include <doctest/doctest.h>

#include "tests/05_fused_cpu/engine_cases.h"
#include "tests/common/seams/reference_cache.h"

namespace llm::test {
namespace {

TestMemory poisoned;

TEST_CASE("the engine conforms, in every family, on every step, exact and fast") {
  for (const char* family : {"llama", "qwen2", "qwen3"})
    for (const LadderStep& step : ladder_steps())
      for (const Compute compute : {Compute::kExact, Compute::kFast}) {
        const ModelConfig config = awkward_config(family);
        const auto model = fused(config, to_checkpoint(config, random_weights(config, 3)),
                                 {.num_threads = 2, .compute = compute}, &step);
        ReferenceCache foreign(nullptr, config.num_hidden_layers, 1, config.num_key_value_heads,
                               config.head_dim);
        const std::string name = std::string(family) + ", step " + std::to_string(step.number);
        expect_conforms(causal_lm_conformance(
            {.name = name, .model = model.get(), .has_cache = true, .tolerance = 1e-5f}, foreign));
      }
}

TEST_CASE("a cache of chapter 04's engine, or of another model, is refused") {
  const ModelConfig config = awkward_config("qwen3");
  const auto weights = random_weights(config, 1);
  const auto model = fused(config, to_checkpoint(config, weights));
  const auto other = fused(config, to_checkpoint(config, weights));
  Transformer transformer(config, to_checkpoint(config, weights), any_cache_engine());
  const PaddedBatch batch({text(3, 37)});
  for (CausalLM* maker : std::vector<CausalLM*>{&transformer, other.get()}) {
    const auto cache = maker->make_cache({});
    CHECK_THROWS_WITH_AS(model->forward(batch.batch(), cache.get(), {}), doctest::Contains("another engine"),
                         Error);
    CHECK(cache->get_seq_length(0) == 0);
  }
  CHECK(model->name() == "fused");
}

std::vector<ModelConfig> awkward_models() {
  std::vector<ModelConfig> configs;
  for (const char* family : {"llama", "qwen2", "qwen3"}) configs.push_back(awkward_config(family));
  const auto change = [&](const char* family, auto f) { f(configs.emplace_back(awkward_config(family))); };
  change("qwen3", [](ModelConfig& c) { c.head_dim = 32, c.vocab_size = 67, c.hidden_size = 33; });
  change("llama",
         [](ModelConfig& c) { c.head_dim = 20, c.intermediate_size = 65, c.num_key_value_heads = 6; });
  change("qwen2", [](ModelConfig& c) { c.head_dim = 80, c.num_key_value_heads = 1, c.hidden_size = 64; });
  change("qwen3",
         [](ModelConfig& c) { c.num_attention_heads = c.num_key_value_heads = 1, c.hidden_size = 2; });
  change("llama",
         [](ModelConfig& c) { set_sliding_window(c, 5), c.layer_types[1] = LayerType::kFullAttention; });
  return configs;
}

TEST_CASE("the scores are those of the formulas in double precision") {
  for (const ModelConfig& config : awkward_models()) {
    const WeightMap weights = random_weights(config, 6);
    for (const Index length : {1, 31}) {
      const std::vector<Token> ids = text(length, config.vocab_size);
      const std::vector<float> expected = oracle_logits(config, weights, ids);
      for (const LadderStep& step : ladder_steps())
        for (const Isa isa : available_isas()) {
          if (isa != active_isa() && step.number < 8) continue;
          CAPTURE(config.model_type);
          CAPTURE(length);
          CAPTURE(step.name);
          CAPTURE(isa_name(isa));
          const auto model = fused(config, to_checkpoint(config, weights), {.isa = isa}, &step);
          CHECK(relative_error(scores(*model, {ids}), expected) < 1e-5);
        }
    }
  }
}

TEST_CASE("longer than a chunk of keys, a tile of queries, a window; with few and many tokens at once") {
  ModelConfig config = block_config("llama");
  config.num_hidden_layers = 2;
  config.layer_types = {LayerType::kSlidingAttention, LayerType::kFullAttention};
  config.sliding_window = 140;
  const WeightMap weights = random_weights(config, 8);
  const std::vector<Token> ids = text(190, config.vocab_size);
  const std::vector<float> expected = oracle_logits(config, weights, ids);
  for (const LadderStep& step : ladder_steps()) {
    CAPTURE(step.name);
    const auto model = fused(config, to_checkpoint(config, weights), {.num_threads = 2}, &step);
    const std::vector<float> whole = scores(*model, {ids});
    CHECK(relative_error(whole, expected) < 1e-5);
    for (const Index chunk : {7, 64, 189}) {
      const auto cache = model->make_cache({.cache = "dynamic"});
      const std::vector<float> pieces = in_chunks(*model, *cache, ids, chunk);
      CHECK(relative_error(pieces, expected) < 1e-5);
      if (step.number >= 5) CHECK(pieces == whole);
    }
  }
}

TEST_CASE("chapter 02's scores on the fixtures' models, with every kind of cache") {
  for (const char* name : {"tiny-llama", "tiny-llama-linear", "tiny-qwen2", "tiny-qwen3", "tiny-qwen3-bf16",
                           "tiny-qwen3-draft"}) {
    const auto naive = load_model(name);
    const std::vector<Token> ids = text(30, naive->config().vocab_size);
    const std::vector<float> expected = run(*naive, FullBatch(ids).batch());
    for (const LadderStep& step : ladder_steps()) {
      CAPTURE(name);
      CAPTURE(step.name);
      const auto model = load_fused(name, {.num_threads = 2}, &step);
      CHECK(model->unused_tensors().empty());
      CHECK(relative_error(scores(*model, {ids}), expected) < 1e-5);
      for (const char* kind : {"dynamic", "static"})
        for (const bool offload : {false, true})
          for (const Index chunk : {1, 4, 30}) {
            const auto cache = model->make_cache(
                {.cache = kind, .offload = offload, .max_cache_len = 30, .memory = &poisoned});
            CHECK(relative_error(in_chunks(*model, *cache, ids, chunk), expected) < 1e-5);
          }
    }
  }
}

// Rounding to fewer bits turns a difference in the last place into one of a step where a value lies between
// two codes: these bounds are what chapter 02's engine differs by with the same cache.
double bound_of(const CacheSpec& spec) {
  if (spec.cache == "int4") return 0.1;
  if (spec.cache == "int8") return 0.01;
  return spec.cache_dtype == "f32" ? 1e-5 : 0.01;
}

TEST_CASE("with every kind of cache the scores of chapter 02's engine with that cache") {
  ModelConfig config = block_config("qwen3");
  set_sliding_window(config, 9);
  const WeightMap weights = random_weights(config, 5);
  const std::vector<Token> ids = text(40, config.vocab_size);
  Transformer transformer(config, to_checkpoint(config, weights), any_cache_engine());
  for (const LadderStep& step : ladder_steps()) {
    if (step.number != 3 && step.number != 5 && step.number != 8)
      continue;  // those with an attention of their own
    const auto model = fused(config, to_checkpoint(config, weights), {.num_threads = 2}, &step);
    for (const CacheSpec& spec : all_specs(&poisoned, 40))
      for (const Index chunk : {1, 6}) {
        CAPTURE(cache_name(spec));
        CAPTURE(step.name);
        CAPTURE(chunk);
        const auto cache = model->make_cache(spec), other = transformer.make_cache(spec);
        const std::vector<float> expected = in_chunks(transformer, *other, ids, chunk);
        CHECK(relative_error(in_chunks(*model, *cache, ids, chunk), expected) < bound_of(spec));
      }
  }
}

TEST_CASE("INT8 and INT4 caches with groups of every size") {
  const ModelConfig config = [] {
    ModelConfig c = block_config("qwen3");
    c.head_dim = 64;
    return c;
  }();
  const WeightMap weights = random_weights(config, 8);
  const std::vector<Token> ids = text(50, config.vocab_size);
  const std::vector<float> exact = oracle_logits(config, weights, ids);
  const auto model = fused(config, to_checkpoint(config, weights), {.num_threads = 2});
  for (const char* kind : {"int8", "int4"})
    for (const Index group : {4, 8, 16, 32, 64})
      for (const Index residual : {0, 5, 50}) {
        CAPTURE(kind);
        CAPTURE(group);
        CAPTURE(residual);
        const auto cache = model->make_cache(
            {.cache = kind, .group_size = group, .residual_length = residual, .memory = &poisoned});
        const double bound = residual == 50 ? 1e-5 : kind == std::string("int8") ? 0.02 : 0.3;
        const double error = relative_error(in_chunks(*model, *cache, ids, 3), exact);
        CHECK(error < bound);
        if (residual < 50) CHECK(error > 1e-5);
      }
}

}  // namespace
}  // namespace llm::test
