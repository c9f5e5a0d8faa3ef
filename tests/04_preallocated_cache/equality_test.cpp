// Every cache computes what the naive pass computes: on the fixtures' models and on random ones, in chunks of
// every size, in batches, with windows, with any number of threads.
#include <doctest/doctest.h>

#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/02_naive_loop/open_model.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "common/base/parallel.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/04_preallocated_cache/test_memory.h"
#include "tests/common/seams/causal_lm_conformance.h"

namespace llm::test {
namespace {

TestMemory poisoned;

std::vector<Token> text(Index length, Index vocab_size) {
  std::vector<Token> ids;
  for (Index i = 0; i < length; ++i) ids.push_back(static_cast<Token>((i * i * 3 + i * 7 + 5) % vocab_size));
  return ids;
}

// The logits [T, V] of one row that is fed in chunks.
std::vector<float> in_chunks(Transformer& model, Cache& cache, const std::vector<Token>& ids, Index chunk) {
  std::vector<float> logits;
  for (Index first = 0; first < static_cast<Index>(ids.size()); first += chunk) {
    const auto begin = ids.begin() + first;
    const auto end = ids.begin() + std::min(first + chunk, static_cast<Index>(ids.size()));
    const PaddedBatch batch({std::vector<Token>(begin, end)}, {first});
    const View<const float, 3> scores = model.forward(batch.batch(), &cache, {}).host();
    logits.insert(logits.end(), scores.data(), scores.data() + scores.size());
  }
  return logits;
}

CacheSpec spec_of(const char* cache, bool offload = false) {
  return {.cache = cache, .offload = offload, .max_cache_len = 200, .memory = &poisoned};
}

TEST_CASE("the fixtures' models: static and offloaded give the naive scores") {
  for (const char* name :
       {"tiny-llama", "tiny-qwen2", "tiny-qwen3", "tiny-qwen3-bf16", "tiny-llama-linear"}) {
    CAPTURE(name);
    const auto naive = load_model(name);
    const OpenModel opened = open_model(model_path(name).string(), true);
    Transformer model(opened.config, opened.checkpoint, any_cache_engine());
    const std::vector<Token> ids = text(30, opened.config.vocab_size);
    const std::vector<float> expected = run(*naive, FullBatch(ids).batch());
    for (const bool offload : {false, true})
      for (const char* kind : {"dynamic", "static"})
        for (const Index chunk : {1, 4, 29, 30}) {
          const auto cache = model.make_cache(spec_of(kind, offload));
          CHECK(relative_error(in_chunks(model, *cache, ids, chunk), expected) < 2e-6);
        }
  }
}

TEST_CASE("rings: windows of any size, chunks of any size, against the windowed formulas") {
  const std::vector<Token> ids = text(26, 37);
  for (const bool mixed : {false, true})
    for (const Index window : {1, 2, 3, 7, 25, 26, 400}) {
      ModelConfig config = awkward_config("qwen3");
      if (mixed) config.layer_types[1] = LayerType::kSlidingAttention;
      set_sliding_window(config, window);
      const WeightMap weights = random_weights(config, 6);
      const std::vector<float> expected = oracle_logits(config, weights, ids);
      Transformer model(config, to_checkpoint(config, weights), any_cache_engine());
      CHECK(relative_error(run(model, FullBatch(ids).batch()), expected) < 1e-5);
      for (const char* kind : {"sliding", "static", "dynamic"})
        for (const Index max_chunk : {1, 5})
          for (Index chunk = 1; chunk <= 26; chunk += chunk < 8 ? 1 : 6) {
            CAPTURE(kind);
            CAPTURE(window);
            CAPTURE(chunk);
            CacheSpec spec = spec_of(kind);
            spec.max_chunk = max_chunk;
            spec.max_cache_len = {};
            if (kind == std::string("static")) spec.max_cache_len = 26;
            const auto cache = model.make_cache(spec);
            CHECK(relative_error(in_chunks(model, *cache, ids, chunk), expected) < 1e-5);
          }
    }
}

TEST_CASE("a ring, cropped by up to max_chunk tokens anywhere and continued, is the whole text") {
  ModelConfig config = awkward_config("llama");
  set_sliding_window(config, 5);
  const WeightMap weights = random_weights(config, 4);
  const std::vector<Token> ids = text(30, 37);
  const std::vector<float> expected = oracle_logits(config, weights, ids);
  Transformer model(config, to_checkpoint(config, weights), any_cache_engine());
  CacheSpec spec = spec_of("sliding");
  spec.max_chunk = 4;
  const auto cache = model.make_cache(spec);
  std::vector<float> logits;
  for (Index length = 0; length < 30; ++length) {
    // A draft of 4 wrong tokens, of which none is kept, then the right one.
    const PaddedBatch draft({{1, 2, 3, 4}}, {length});
    model.forward(draft.batch(), cache.get(), {});
    cache->crop(0, length);
    const PaddedBatch step({{ids[static_cast<std::size_t>(length)]}}, {length});
    const View<const float, 3> scores = model.forward(step.batch(), cache.get(), {}).host();
    logits.insert(logits.end(), scores.data(), scores.data() + scores.size());
  }
  CHECK(relative_error(logits, expected) < 1e-5);
}

std::vector<CacheSpec> each_kind() {
  std::vector<CacheSpec> specs;
  for (const bool offload : {false, true})
    for (const CacheKind* kind : all_cache_kinds()) {
      CacheSpec spec = spec_of("");
      spec.cache = kind->name;
      spec.offload = offload;
      spec.max_chunk = 6;
      spec.residual_length = 3;
      specs.push_back(spec);
    }
  return specs;
}

// Three rows of different lengths; after some steps the second leaves, and the others go on, in another
// order.
TEST_CASE("left-padded batches: each row's scores are those of the row alone, also when rows leave") {
  ModelConfig config = awkward_config("qwen3");
  set_sliding_window(config, 6);
  Transformer model(config, to_checkpoint(config, random_weights(config, 2)), any_cache_engine());
  const std::vector<Index> lengths = {9, 4, 1};
  const std::vector<Token> ids = text(40, 37);
  const auto token = [&](Index row, Index i) { return ids[static_cast<std::size_t>((row * 11 + i) % 40)]; };
  const auto prompt = [&](Index row) {
    std::vector<Token> tokens;
    for (Index i = 0; i < lengths[static_cast<std::size_t>(row)]; ++i) tokens.push_back(token(row, i));
    return tokens;
  };
  for (const CacheSpec& spec : each_kind()) {
    CAPTURE(cache_name(spec));
    // Alone: the scores of each step.
    std::vector<std::vector<std::vector<float>>> alone(3);
    const auto last = [&](Logits& logits, Index b) {
      const View<const float, 1> row = logits.host()[b][logits.host().shape(1) - 1];
      return std::vector<float>(row.begin(), row.end());
    };
    for (Index row = 0; row < 3; ++row) {
      const auto cache = model.make_cache(spec);
      auto& steps = alone[static_cast<std::size_t>(row)];
      steps.push_back(last(model.forward(PaddedBatch({prompt(row)}).batch(), cache.get(), {}), 0));
      for (Index step = 0; step < 12; ++step) {
        const Index position = lengths[static_cast<std::size_t>(row)] + step;
        const PaddedBatch one({{token(row, position)}}, {position});
        steps.push_back(last(model.forward(one.batch(), cache.get(), {}), 0));
      }
    }
    CacheSpec three = spec;
    three.num_rows = 3;
    const auto cache = model.make_cache(three);
    std::vector<Index> open = {0, 1, 2};
    Logits* logits = &model.forward(PaddedBatch({prompt(0), prompt(1), prompt(2)}).batch(), cache.get(), {});
    for (Index step = 0;; ++step) {
      for (std::size_t b = 0; b < open.size(); ++b) {
        const auto& expected = alone[static_cast<std::size_t>(open[b])][static_cast<std::size_t>(step)];
        CHECK(relative_error(last(*logits, static_cast<Index>(b)), expected) < 1e-6);
      }
      if (step == 12) break;
      if (step == 4) {
        cache->reorder(std::vector<Index>{2, 0});
        open = {2, 0};
      }
      std::vector<std::vector<Token>> next;
      std::vector<Index> positions;
      for (const Index row : open) {
        positions.push_back(lengths[static_cast<std::size_t>(row)] + step);
        next.push_back({token(row, positions.back())});
      }
      logits = &model.forward(PaddedBatch(next, positions).batch(), cache.get(), {});
    }
  }
}

TEST_CASE("bits do not depend on the number of threads, nor on where the cache lies") {
  ModelConfig config = awkward_config("qwen2");
  set_sliding_window(config, 6);
  Transformer model(config, to_checkpoint(config, random_weights(config, 5)), any_cache_engine());
  const std::vector<Token> ids = text(60, 37);
  const int before = num_threads();
  for (CacheSpec spec : each_kind()) {
    CAPTURE(cache_name(spec));
    std::vector<float> first;
    for (const int threads : {1, 2, 4}) {
      set_num_threads(threads);
      for (const bool offload : {false, true}) {
        spec.offload = offload;
        const auto cache = model.make_cache(spec);
        const std::vector<float> logits = in_chunks(model, *cache, ids, 7);
        if (first.empty()) first = logits;
        CHECK(logits == first);
      }
    }
  }
  set_num_threads(before);
}

TEST_CASE("int8 and int4: exact while everything is in the tail, near beyond it, int8 nearer than int4") {
  const ModelConfig config = [] {
    ModelConfig c = awkward_config("qwen3");
    c.head_dim = 16;
    return c;
  }();
  const WeightMap weights = random_weights(config, 8);
  const std::vector<Token> ids = text(60, 37);
  const std::vector<float> expected = oracle_logits(config, weights, ids);
  Transformer model(config, to_checkpoint(config, weights), any_cache_engine());
  const auto error = [&](const char* kind, Index residual, Index group, Index chunk) {
    CacheSpec spec = spec_of(kind);
    spec.residual_length = residual;
    spec.group_size = group;
    const auto cache = model.make_cache(spec);
    return relative_error(in_chunks(model, *cache, ids, chunk), expected);
  };
  for (const char* kind : {"int8", "int4"}) CHECK(error(kind, 60, 16, 9) < 1e-5);
  for (const Index residual : {0, 7}) {
    for (const Index chunk : {1, 60}) {
      const double int8 = error("int8", residual, 16, chunk), int4 = error("int4", residual, 16, chunk);
      CHECK(int8 > 1e-5);
      CHECK(int8 < 0.02);
      CHECK(int4 < 0.3);
      CHECK(int4 > 3 * int8);
      CHECK(error("int4", residual, 4, chunk) < int4);
    }
  }
}

}  // namespace
}  // namespace llm::test
