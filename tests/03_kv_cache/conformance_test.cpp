// The dynamic cache keeps what the seams promise, in each of its formats, and so does the engine that uses
// it.
#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/dynamic_layer.h"
#include "chapters/03_kv_cache/kv_format.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/common/seams/cache_conformance.h"
#include "tests/common/seams/causal_lm_conformance.h"
#include "tests/common/seams/reference_cache.h"

namespace llm::test {
namespace {

struct Format {
  const char* name;
  float tolerance;  // of values in [-1, 1): half a unit in the last place
};
constexpr Format kFormats[] = {{"f32", 0}, {"bf16", 0x1p-9f}, {"f16", 0x1p-12f}};

// A layer whose unused memory is NaN whenever somebody looks at it.
class PoisonedLayer : public DynamicLayer {
 public:
  using DynamicLayer::DynamicLayer;
  std::span<const KvBlock> blocks(Index row) const override {
    const_cast<PoisonedLayer*>(this)->poison_spare();
    return DynamicLayer::blocks(row);
  }
};

CacheTraits traits_of(const Format& format) {
  return {.name = std::string("dynamic ") + format.name,
          .make =
              [&format](Index rows) {
                return std::make_unique<PoisonedLayer>(KvShape{2, 8, float_kv_format(format.name)}, rows);
              },
          .tolerance = format.tolerance};
}

TEST_CASE("a dynamic layer conforms in every format") {
  for (const Format& format : kFormats) expect_conforms(cache_layer_conformance(traits_of(format)));
}

TEST_CASE("a cache of dynamic layers conforms, made as layers or by a factory") {
  const ModelConfig config = [] {
    ModelConfig c = awkward_config("qwen3");
    c.head_dim = 8;
    return c;
  }();
  for (const Format& format : kFormats) {
    const CacheTraits traits = traits_of(format);
    const CacheSpec spec{.cache_dtype = format.name};
    expect_conforms(cache_conformance(traits, 3, [&](Index rows) {
      CacheSpec with_rows = spec;
      with_rows.num_rows = rows;
      return make_cache(dynamic_cache_kinds(), nullptr, config, with_rows);
    }));
    expect_conforms(cache_conformance(traits, 3, [&](Index rows) -> std::unique_ptr<Cache> {
      std::vector<std::unique_ptr<CacheLayer>> layers;
      for (int l = 0; l < 3; ++l) layers.push_back(traits.make(rows));
      return std::make_unique<LayeredCache>(nullptr, std::move(layers));
    }));
  }
}

TEST_CASE("the cached engine conforms, in every family") {
  for (const char* family : {"llama", "qwen2", "qwen3"}) {
    const ModelConfig config = awkward_config(family);
    Transformer model(config, to_checkpoint(config, random_weights(config, 3)),
                      cached_engine(dynamic_cache_kinds()));
    CHECK(model.name() == "cached");
    ReferenceCache foreign(nullptr, config.num_hidden_layers, 1, config.num_key_value_heads, config.head_dim);
    expect_conforms(causal_lm_conformance(
        {.name = family, .model = &model, .has_cache = true, .tolerance = 1e-5f}, foreign));
  }
}

}  // namespace
}  // namespace llm::test
