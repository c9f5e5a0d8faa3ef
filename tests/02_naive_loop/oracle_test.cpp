// The forward pass against a second one, written in double precision for these tests, on random models whose
// sizes fit nothing: 6 heads of 6 over 2 key/value heads, widths 20 and 23, windows, biases, untied heads.
#include <doctest/doctest.h>

#include "chapters/02_naive_loop/full_batch.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/random_model.h"

namespace llm::test {
namespace {

constexpr double kTolerance = 1e-5;
const std::vector<Token> kIds = {5, 36, 0, 17, 17, 8, 29, 3, 11, 24, 2};

double error_of(const ModelConfig& config, std::uint64_t seed) {
  const WeightMap weights = random_weights(config, seed);
  Transformer model(config, to_checkpoint(config, weights));
  return relative_error(run(model, FullBatch(kIds).batch()), oracle_logits(config, weights, kIds));
}

TEST_CASE("the three families, tied and untied") {
  for (const char* type : {"llama", "qwen2", "qwen3"}) {
    for (const bool tied : {false, true}) {
      CAPTURE(type);
      CAPTURE(tied);
      ModelConfig config = awkward_config(type);
      config.tie_word_embeddings = tied;
      CHECK(error_of(config, 1) < kTolerance);
    }
  }
}

TEST_CASE("biases where the config asks for them") {
  ModelConfig llama = awkward_config("llama");
  llama.attention_bias = true;
  CHECK(error_of(llama, 2) < kTolerance);
  llama.mlp_bias = true;
  CHECK(error_of(llama, 3) < kTolerance);
  llama.attention_bias = false;
  CHECK(error_of(llama, 4) < kTolerance);
  ModelConfig qwen3 = awkward_config("qwen3");
  qwen3.attention_bias = true;
  CHECK(error_of(qwen3, 5) < kTolerance);
}

TEST_CASE("a window of W: the token itself and the W - 1 before it, in the layers that have one") {
  for (const Index window : {1, 2, 3, 10, 11, 12, 400}) {
    CAPTURE(window);
    ModelConfig config = awkward_config("qwen3");
    config.sliding_window = window;
    config.layer_types = {LayerType::kSlidingAttention, LayerType::kFullAttention,
                          LayerType::kSlidingAttention};
    CHECK(error_of(config, 6) < kTolerance);
  }
}

TEST_CASE("heads: one of each, one key/value head for all, one each") {
  for (const auto& [bound_heads, kv_heads] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {5, 1}, {3, 3}, {9, 3}}) {
    const auto& heads = bound_heads;  // clang 14 cannot capture the binding itself
    CAPTURE(heads);
    ModelConfig config = awkward_config("qwen3");
    config.num_attention_heads = heads;
    config.num_key_value_heads = kv_heads;
    config.head_dim = 10;
    CHECK(error_of(config, 7) < kTolerance);
  }
}

TEST_CASE("long enough for several tiles of queries, longer than the window") {
  ModelConfig config = awkward_config("llama");
  config.sliding_window = 33;
  config.layer_types = {LayerType::kSlidingAttention, LayerType::kFullAttention,
                        LayerType::kSlidingAttention};
  const WeightMap weights = random_weights(config, 8);
  Transformer model(config, to_checkpoint(config, weights));
  std::vector<Token> ids;
  for (Token i = 0; i < 150; ++i) ids.push_back(i * i % 37);
  CHECK(relative_error(run(model, FullBatch(ids).batch()), oracle_logits(config, weights, ids)) < kTolerance);
}

TEST_CASE("a head in the file wins over the tie in the config") {
  ModelConfig untied = awkward_config("qwen2");
  const WeightMap weights = random_weights(untied, 9);
  ModelConfig tied = untied;
  tied.tie_word_embeddings = true;
  Transformer model(tied, to_checkpoint(untied, weights));
  CHECK(relative_error(run(model, FullBatch(kIds).batch()), oracle_logits(untied, weights, kIds)) <
        kTolerance);
  CHECK(model.unused_tensors().empty());
}

}  // namespace
}  // namespace llm::test
