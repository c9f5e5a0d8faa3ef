// Chapter 02's engine keeps what the seam promises, with a cache and without.
#include "chapters/02_naive_loop/host_logits.h"
#include "tests/02_naive_loop/block_cache.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/common/seams/causal_lm_conformance.h"
#include "tests/common/seams/logits_conformance.h"
#include "tests/common/seams/reference_cache.h"

namespace llm::test {
namespace {

// Chapter 03 has real caches; here the tests' own.
TransformerOptions with_reference_cache() {
  TransformerOptions options;
  options.name = "cached";
  options.cache_factory = [](const void* maker, const ModelConfig& config, const CacheSpec& spec) {
    return std::make_unique<ReferenceCache>(maker, config.num_hidden_layers, spec.num_rows,
                                            config.num_key_value_heads, config.head_dim);
  };
  return options;
}

Checks check_engine(const std::string& family, TransformerOptions options) {
  const ModelConfig config = awkward_config(family);
  const bool has_cache = options.cache_factory != nullptr;
  Transformer model(config, to_checkpoint(config, random_weights(config, 3)), std::move(options));
  ReferenceCache foreign(nullptr, config.num_hidden_layers, 1, config.num_key_value_heads, config.head_dim);
  return causal_lm_conformance({.name = family, .model = &model, .has_cache = has_cache, .tolerance = 1e-5f},
                               foreign);
}

TEST_CASE("the naive engine conforms, in every family") {
  for (const char* family : {"llama", "qwen2", "qwen3"}) expect_conforms(check_engine(family, {}));
}

TEST_CASE("with a cache it conforms too") {
  for (const char* family : {"llama", "qwen2", "qwen3"})
    expect_conforms(check_engine(family, with_reference_cache()));
}

TEST_CASE("its logits conform") {
  expect_conforms(logits_conformance("host", [](View<const float, 3> scores) -> std::unique_ptr<Logits> {
    auto logits = std::make_unique<HostLogits>();
    logits->set(scores);
    return logits;
  }));
}

}  // namespace
}  // namespace llm::test
