// Save and load: every kind of layer gets back what it showed, to the bit, and goes on from there.
#include <doctest/doctest.h>

#include "chapters/03_kv_cache/cache_file.h"
#include "chapters/03_kv_cache/kv_tokens.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/common/seams/causal_lm_conformance.h"
#include "tests/temp_folder.h"

namespace llm::test {
namespace {

std::vector<CacheSpec> specs() {
  std::vector<CacheSpec> all;
  for (const bool offload : {false, true})
    for (const char* dtype : {"f32", "bf16", "f16"})
      for (const CacheKind* kind : all_cache_kinds())
        all.push_back({.cache = std::string(kind->name),
                       .cache_dtype = dtype,
                       .offload = offload,
                       .max_cache_len = 60,
                       .max_chunk = 3,
                       .residual_length = 7});
  return all;
}

bool same_tokens(const KvTokens& a, const KvTokens& b) {
  const auto same = [](const Tensor<float, 3>& x, const Tensor<float, 3>& y) {
    return x.shape() == y.shape() && std::equal(x.data(), x.data() + x.size(), y.data());
  };
  return a.first_position == b.first_position && same(a.keys, b.keys) && same(a.values, b.values);
}

TEST_CASE("a cache file holds every kind of cache") {
  ModelConfig config = awkward_config("qwen3");
  config.head_dim = 8;
  config.layer_types[1] = LayerType::kSlidingAttention;
  set_sliding_window(config, 6);
  Transformer model(config, to_checkpoint(config, random_weights(config, 3)), any_cache_engine());
  const TempFolder folder;
  const auto path = folder.path() / "cache.safetensors";
  std::vector<Token> ids;
  for (Token i = 0; i < 40; ++i) ids.push_back(i * i % 37);
  const CacheIdentity identity{.model = "m", .cache = "any", .format = KvFormat::kF32};
  const auto scores = [&](Cache& cache, Token id, Index position) {
    const View<const float, 3> logits =
        model.forward(PaddedBatch({{id}}, {position}).batch(), &cache, {}).host();
    return std::vector<float>(logits.data(), logits.data() + logits.size());
  };
  for (const CacheSpec& spec : specs()) {
    CAPTURE(cache_name(spec));
    CachedText first{model.make_cache(spec), ids};
    model.forward(PaddedBatch({std::vector<Token>(ids.begin(), ids.begin() + 33)}).batch(), first.cache.get(),
                  {});
    for (Index i = 33; i < 40; ++i) scores(*first.cache, ids[static_cast<std::size_t>(i)], i);
    save_cached_text(path, first, config, identity);
    CachedText second{model.make_cache(spec), {}};
    load_cached_text(path, second, config, identity);
    CHECK(second.ids == ids);
    for (Index l = 0; l < 3; ++l)
      CHECK(same_tokens(read_tokens(first.cache->layer(l), 0, 0, 2, 8),
                        read_tokens(second.cache->layer(l), 0, 0, 2, 8)));
    CHECK(scores(*first.cache, 5, 40) == scores(*second.cache, 5, 40));
    if (spec.cache == "sliding") CHECK_THROWS_AS(second.cache->crop(0, 20), Error);  // lost is lost
    for (Cache* cache : {first.cache.get(), second.cache.get()}) cache->crop(0, 39);
    CHECK(scores(*first.cache, 9, 39) == scores(*second.cache, 9, 39));
  }
}

}  // namespace
}  // namespace llm::test
