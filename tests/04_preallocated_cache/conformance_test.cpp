// Every kind of cache keeps what the seam promises, in every format, offloaded or not; and so does an engine
// that uses it. Unwritten memory is NaN.
#include "chapters/03_kv_cache/kv_format.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/04_preallocated_cache/test_memory.h"
#include "tests/common/seams/cache_conformance.h"
#include "tests/common/seams/causal_lm_conformance.h"
#include "tests/common/seams/reference_cache.h"

namespace llm::test {
namespace {

// Half a unit in the last place of values in [-1, 1).
float rounding(const std::string& format) {
  if (format == "bf16") return 0x1p-9f;
  return format == "f16" ? 0x1p-12f : 0;
}

// A cache to be tested, and the model that it is for.
struct Case {
  CacheSpec spec;
  std::optional<Index> window = {};

  ModelConfig config(const std::string& family = "qwen3") const {
    ModelConfig config = awkward_config(family);
    config.head_dim = 8;
    if (window) set_sliding_window(config, *window);
    return config;
  }
  std::string name() const {
    return cache_name(spec) + (window ? ", window " + std::to_string(*window) : "") +
           (spec.group_size ? ", groups of " + std::to_string(*spec.group_size) : "") +
           (spec.residual_length ? ", tail " + std::to_string(*spec.residual_length) : "");
  }
  CacheTraits traits() const {
    const float step = spec.cache == "int8" ? 1 / 127.0f : spec.cache == "int4" ? 1 / 7.0f : 0;
    CacheTraits traits{.name = name(), .make = {}, .tolerance = rounding(spec.cache_dtype) + step / 2};
    if (step > 0) traits.tolerance += 1e-6f;
    const bool full = spec.max_cache_len && spec.cache != "dynamic";
    if (full) traits.capacity = spec.max_cache_len;
    if (spec.cache == "sliding") {
      traits.window = window;
      traits.longest_chunk = spec.max_chunk.value_or(1);
    }
    traits.make = [*this](Index rows) {
      CacheSpec all = spec;
      all.num_rows = rows;
      // One layer of a cache of its own, which lives as long as the layer.
      class Alone : public CacheLayer {
       public:
        explicit Alone(std::unique_ptr<Cache> cache) : cache_(std::move(cache)) {}
        void update(View<const float, 3> k, View<const float, 3> v, std::span<const RowTokens> r) override {
          layer().update(k, v, r);
        }
        std::span<const KvBlock> blocks(Index row) const override { return layer().blocks(row); }
        Index num_rows() const override { return layer().num_rows(); }
        Index get_seq_length(Index row) const override { return layer().get_seq_length(row); }
        void check_crop(Index row, Index length) const override { layer().check_crop(row, length); }
        void crop(Index row, Index length) override { layer().crop(row, length); }
        void reorder(std::span<const Index> order) override { layer().reorder(order); }
        void add_rows(Index count) override { layer().add_rows(count); }
        void reset() override { layer().reset(); }
        void offload() override { layer().offload(); }
        void prefetch() override { layer().prefetch(); }
        Index memory_bytes() const override { return layer().memory_bytes(); }

       private:
        CacheLayer& layer() const { return cache_->layer(0); }
        std::unique_ptr<Cache> cache_;
      };
      return std::make_unique<Alone>(make_any_cache(nullptr, config(), all));
    };
    return traits;
  }
};

TestMemory memory;

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const bool offload : {false, true})
    for (const char* dtype : {"f32", "bf16", "f16"}) {
      CacheSpec spec{.cache_dtype = dtype, .offload = offload, .memory = &memory};
      const auto add = [&](const char* cache, std::optional<Index> window = {}) {
        spec.cache = cache;
        cases.push_back({spec, window});
      };
      add("dynamic");
      spec.max_cache_len = 40;
      add("static");
      spec.max_cache_len = 13;
      add("static");
      spec.max_cache_len = {};
      for (const Index window : {1, 2, 5, 9, 60}) {
        spec.max_chunk = 3 + window % 4;
        add("sliding", window);
      }
      spec.max_cache_len = 20;  // windows wider than that save slots
      for (const Index window : {4, 30}) add("sliding", window);
      spec.max_cache_len = {};
      for (const Index tail : {0, 1, 3, 20})
        for (const Index group : {2, 8}) {
          spec.residual_length = tail;
          spec.group_size = group;
          add("int8");
          add("int4");
        }
      spec.max_cache_len = 14;
      spec.residual_length = 4;
      add("int8");
      add("int4");
    }
  return cases;
}

TEST_CASE("layers of every kind conform") {
  for (const Case& one : all_cases()) expect_conforms(cache_layer_conformance(one.traits()));
}

TEST_CASE("caches of every kind conform") {
  for (const Case& one : all_cases()) {
    expect_conforms(cache_conformance(one.traits(), 3, [&](Index rows) {
      CacheSpec spec = one.spec;
      spec.num_rows = rows;
      return make_any_cache(nullptr, one.config(), spec);
    }));
  }
}

TEST_CASE("the engine conforms with every kind of cache") {
  for (const Case& one : all_cases()) {
    if (one.spec.cache_dtype != "f32" || one.spec.max_cache_len.value_or(16) < 16) continue;
    if (one.window == 1) continue;  // the suite wants a token to see earlier ones
    // Codes change the scores; how much is tested elsewhere. With a tail for all they must not.
    const bool codes = one.spec.cache == "int8" || one.spec.cache == "int4";
    if (codes && one.spec.residual_length.value_or(0) < 9) continue;
    for (const char* family : {"llama", "qwen2", "qwen3"}) {
      TransformerOptions options = any_cache_engine();
      options.cache_factory = [&](const void* maker, const ModelConfig& config, const CacheSpec& asked) {
        CacheSpec spec = one.spec;
        spec.num_rows = asked.num_rows;
        return make_any_cache(maker, config, spec);
      };
      const ModelConfig config = one.config(family);
      Transformer model(config, to_checkpoint(config, random_weights(config, 3)), options);
      ReferenceCache foreign(nullptr, 3, 1, config.num_key_value_heads, config.head_dim);
      expect_conforms(causal_lm_conformance(
          {.name = one.name() + " " + family, .model = &model, .has_cache = true, .tolerance = 1e-5f},
          foreign));
    }
  }
}

TEST_CASE("all memory is given back") { CHECK(memory.bytes == 0); }

}  // namespace
}  // namespace llm::test
