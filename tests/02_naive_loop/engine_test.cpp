// What holds for every forward pass: batches, threads, chunks through a cache, memory that is used again.
#include <doctest/doctest.h>

#include <numeric>

#include "chapters/02_naive_loop/full_batch.h"
#include "common/base/parallel.h"
#include "common/config/tensor_specs.h"
#include "tests/02_naive_loop/block_cache.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/common/seams/causal_lm_conformance.h"

namespace llm::test {
namespace {

using Rows = std::vector<std::vector<Token>>;
const Rows kRows = {{3, 1, 4, 1, 5, 9, 2, 6}, {27}, {18, 28, 18}, {31, 14, 15, 36, 0, 35, 8, 7}, {1, 36}};

std::vector<float> last_scores(Transformer& model, const Rows& rows) {
  return run(model, FullBatch(rows).batch(), {.logits_to_keep = 1});
}

struct RandomModel {
  explicit RandomModel(ModelConfig config, TransformerOptions options = {})
      : weights(random_weights(config, 11)),
        model(config, to_checkpoint(config, weights), std::move(options)) {}
  WeightMap weights;
  Transformer model;
};

ModelConfig windowed_config() {
  ModelConfig config = awkward_config("qwen3");
  config.sliding_window = 4;
  config.layer_types = {LayerType::kSlidingAttention, LayerType::kFullAttention,
                        LayerType::kSlidingAttention};
  return config;
}

TEST_CASE("it does what every engine must do, with a cache and without") {
  for (const ModelConfig& config : {awkward_config("llama"), windowed_config()}) {
    RandomModel with(config, with_block_cache()), without(config);
    const auto cache = with.model.make_cache({});
    expect_conforms(causal_lm_conformance({.name = "naive", .model = &without.model}, *cache));
    const auto foreign = std::make_unique<BlockCache>(&without.model, config, 1);
    expect_conforms(
        causal_lm_conformance({.name = "cached", .model = &with.model, .has_cache = true}, *foreign));
  }
}

TEST_CASE("a padded row has the bits of the row alone") {
  RandomModel random(windowed_config());
  const std::vector<float> together = last_scores(random.model, kRows);
  for (std::size_t b = 0; b < kRows.size(); ++b) {
    CAPTURE(b);
    const std::vector<float> alone = last_scores(random.model, {kRows[b]});
    CHECK(std::equal(alone.begin(), alone.end(),
                     together.begin() + static_cast<std::ptrdiff_t>(b * alone.size())));
  }
}

TEST_CASE("ids and positions under the padding are never looked at") {
  RandomModel random(awkward_config("llama"));
  const FullBatch full(kRows);
  Tensor<Token, 2> ids({5, 8});
  Tensor<Index, 2> positions({5, 8});
  const Batch clean = full.batch();
  for (Index b = 0; b < 5; ++b)
    for (Index t = 0; t < 8; ++t) {
      ids(b, t) = clean.attention_mask(b, t) != 0 ? clean.input_ids(b, t) : -77;
      positions(b, t) = clean.attention_mask(b, t) != 0 ? clean.position_ids(b, t) : 1'000'000;
    }
  Batch dirty = clean;
  dirty.input_ids = ids.view();
  dirty.position_ids = positions.view();
  CHECK(run(random.model, dirty) == run(random.model, clean));
}

TEST_CASE("scores at padding are zeros") {
  RandomModel random(awkward_config("qwen2"));
  const FullBatch full(kRows);
  const Batch batch = full.batch();
  const View<const float, 3> scores = random.model.forward(batch, nullptr, {}).host();
  for (Index b = 0; b < 5; ++b)
    for (Index t = 0; t < 8; ++t) {
      bool zeros = true;
      for (const float score : scores[b][t]) zeros = zeros && score == 0;
      CHECK(zeros == (batch.attention_mask(b, t) == 0));
    }
}

TEST_CASE("one, two and four threads: the same bits") {
  ModelConfig config = windowed_config();
  config.vocab_size = 700;  // several panels of outputs
  config.sliding_window = 50;
  config.intermediate_size = 300;
  RandomModel random(config);
  std::vector<Token> ids(150);
  std::iota(ids.begin(), ids.end(), 500);
  set_num_threads(1);
  const std::vector<float> expected = run(random.model, FullBatch(Rows{ids, {7, 8, 9}}).batch());
  for (const int threads : {2, 4, 3}) {
    set_num_threads(threads);
    CHECK(run(random.model, FullBatch(Rows{ids, {7, 8, 9}}).batch()) == expected);
  }
  set_num_threads(2);
}

TEST_CASE("only distances matter: all positions moved by 300, nearly the same scores") {
  RandomModel random(windowed_config());
  const FullBatch full(kRows);
  Batch batch = full.batch();
  const std::vector<float> expected = run(random.model, batch);
  Tensor<Index, 2> moved({5, 8});
  for (Index i = 0; i < moved.size(); ++i) moved.data()[i] = batch.position_ids.data()[i] + 300;
  batch.position_ids = moved.view();
  const std::vector<float> got = run(random.model, batch);
  CHECK(relative_error(got, expected) < 1e-4);
  CHECK(got != expected);
}

// Feeds rows through a cache, `chunk` tokens of each at a time, each row into cache row 4 - b.
std::vector<float> through_cache(Transformer& model, Cache& cache, const Rows& rows, Index chunk) {
  std::vector<float> last(rows.size() * static_cast<std::size_t>(model.config().vocab_size));
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const auto length = static_cast<Index>(rows[b].size());
    for (Index first = 0; first < length; first += chunk) {
      const Index count = std::min(chunk, length - first);
      Tensor<Index, 2> positions({1, count});
      std::iota(positions.data(), positions.data() + count, first);
      const Index cache_row = 4 - static_cast<Index>(b);
      const Batch batch{.input_ids = {rows[b].data() + first, {1, count}},
                        .position_ids = positions.view(),
                        .rows = {&cache_row, 1}};
      const View<const float, 3> scores = model.forward(batch, &cache, {.logits_to_keep = 1}).host();
      std::copy_n(scores.data(), scores.size(), last.data() + static_cast<Index>(b) * scores.size());
    }
  }
  return last;
}

TEST_CASE("through a cache of many blocks, in chunks of any size: the scores of the whole text") {
  for (const ModelConfig& config : {awkward_config("llama"), windowed_config()}) {
    RandomModel random(config, with_block_cache());
    const std::vector<float> expected = last_scores(random.model, kRows);
    for (const Index chunk : {1, 2, 3, 7, 100}) {
      CAPTURE(chunk);
      const auto cache = random.model.make_cache({.num_rows = 5});
      CHECK(relative_error(through_cache(random.model, *cache, kRows, chunk), expected) < 1e-5);
    }
  }
}

TEST_CASE("a padded batch into a cache, then one more token for each row") {
  RandomModel random(windowed_config(), with_block_cache());
  Rows longer = kRows;
  for (std::size_t b = 0; b < longer.size(); ++b) longer[b].push_back(static_cast<Token>(b + 20));
  const std::vector<float> expected = last_scores(random.model, longer);

  const auto cache = random.model.make_cache({.num_rows = 5});
  random.model.forward(FullBatch(kRows).batch(), cache.get(), {});
  Tensor<Token, 2> ids({5, 1});
  Tensor<Index, 2> positions({5, 1});
  for (Index b = 0; b < 5; ++b) {
    CHECK(cache->get_seq_length(b) == static_cast<Index>(kRows[static_cast<std::size_t>(b)].size()));
    ids(b, 0) = static_cast<Token>(b + 20);
    positions(b, 0) = cache->get_seq_length(b);
  }
  const Batch step{.input_ids = ids.view(), .position_ids = positions.view()};
  const View<const float, 3> scores = random.model.forward(step, cache.get(), {}).host();
  CHECK(relative_error({scores.data(), static_cast<std::size_t>(scores.size())}, expected) < 1e-5);
}

TEST_CASE("layers are fetched before they are needed and let go after") {
  RandomModel random(awkward_config("llama"), with_block_cache());
  BlockCache cache(&random.model, random.model.config(), 1);
  random.model.forward(FullBatch(kRows[0]).batch(), &cache, {});
  for (Index l = 0; l < 3; ++l) {
    CHECK(cache.layer(l).prefetches == 1);
    CHECK(cache.layer(l).offloads == 1);
  }
}

TEST_CASE("nothing is read before it was written: memory full of NaN changes no bit") {
  for (const char* type : {"llama", "qwen3"}) {
    RandomModel random(awkward_config(type));
    Transformer& model = random.model;
    std::vector<Token> ids(90, 5);
    run(model, FullBatch(Rows{ids, {1, 2}}).batch());  // grows all buffers
    const std::vector<float> expected = run(model, FullBatch(kRows).batch());
    const Index bytes = model.workspace().bytes();
    model.workspace().poison();
    CHECK(run(model, FullBatch(kRows).batch()) == expected);
    CHECK(model.workspace().bytes() == bytes);  // and a smaller pass needs no new memory
  }
}

TEST_CASE("argmax: ties go to the lowest id, NaN is an error that names the row") {
  Tensor<float, 3> scores({2, 2, 4}, -1.0f);
  scores(0, 1, 2) = 3;
  scores(0, 1, 3) = 3;
  scores(0, 0, 0) = 9;  // not the last kept position
  HostLogits logits;
  logits.set(scores);
  CHECK(logits.argmax() == std::vector<Token>{2, 0});
  CHECK_FALSE(logits.has_sample());
  const double uniform = 0.5;
  CHECK_THROWS_AS(logits.sample(1, 0, 1, {&uniform, 1}), Error);
  scores(1, 1, 1) = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH_AS(logits.argmax(), doctest::Contains("row 1"), Error);
  scores.fill(-std::numeric_limits<float>::infinity());
  CHECK(logits.argmax() == std::vector<Token>{0, 0});
}

TEST_CASE("a model of float32 is used where it lies; one of bfloat16 is copied once") {
  const auto plain = load_model("tiny-qwen2");
  CHECK(plain->copied_bytes() == 0);
  const auto half = load_model("tiny-qwen3-bf16");
  const Index parameters = num_parameters(half->config());
  CHECK(half->copied_bytes() == 4 * parameters);
  CHECK(half->weight_bytes() == 2 * parameters);
}

}  // namespace
}  // namespace llm::test
