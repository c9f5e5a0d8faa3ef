// What a caller may ask of a forward pass and of its scores.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "tests/05_fused_cpu/engine_cases.h"

namespace llm::test {
namespace {

// The best of each row's last kept scores, the lowest id of equal ones.
std::vector<Token> best_of(View<const float, 3> scores) {
  std::vector<Token> best;
  for (Index b = 0; b < scores.shape(0); ++b) {
    const View<const float, 1> row = scores[b][scores.shape(1) - 1];
    best.push_back(static_cast<Token>(std::ranges::max_element(row) - row.begin()));
  }
  return best;
}

TEST_CASE("argmax() is the best of host(), whichever is asked first, of any kept positions") {
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kQ4_0})
    for (const Compute compute : {Compute::kExact, Compute::kFast})
      for (const LadderStep& step : ladder_steps()) {
        const ModelConfig config = block_config("qwen3");
        const auto model =
            fused(config, checkpoint_in(config, dtype, 2), {.num_threads = 3, .compute = compute}, &step);
        const PaddedBatch rows({text(9, 83), text(4, 83, 1), text(7, 83, 2), text(1, 83, 3)});
        for (const Index keep : {0, 1, 3, 100}) {
          CAPTURE(dtype_name(dtype));
          CAPTURE(step.name);
          CAPTURE(keep);
          Logits& logits = model->forward(rows.batch(), nullptr, {.logits_to_keep = keep});
          const std::vector<Token> first = logits.argmax();
          CHECK(logits.host().shape(1) == (keep == 0 ? 9 : std::min<Index>(keep, 9)));
          CHECK(first == best_of(logits.host()));
          CHECK(logits.argmax() == first);
        }
      }
}

// A model whose head was changed before it was loaded.
std::unique_ptr<FusedModel> with_head(const std::function<void(std::vector<float>& head, Index D)>& change,
                                      const LadderStep& step, int threads) {
  ModelConfig config = block_config("llama");
  WeightMap weights = random_weights(config, 12);
  change(weights.at("lm_head.weight"), config.hidden_size);
  return fused(config, to_checkpoint(config, weights), {.num_threads = threads}, &step);
}

TEST_CASE("of equal scores the lowest id wins, in one panel of the head and in several, on any thread") {
  const PaddedBatch rows({text(5, 83), text(8, 83, 1), text(3, 83, 4)});
  for (const LadderStep& step : ladder_steps())
    for (const int threads : {1, 3}) {
      const auto all_equal = with_head(
          [](auto& head, Index D) {
            for (std::size_t i = static_cast<std::size_t>(D); i < head.size(); ++i)
              head[i] = head[i % static_cast<std::size_t>(D)];
          },
          step, threads);
      CHECK(all_equal->forward(rows.batch(), nullptr, {}).argmax() == std::vector<Token>{0, 0, 0});
      const auto zeros = with_head([](auto& head, Index) { std::ranges::fill(head, 0.0f); }, step, threads);
      CHECK(zeros->forward(rows.batch(), nullptr, {}).argmax() == std::vector<Token>{0, 0, 0});
      // Rows 0 to 40 and 41 to 81 are the same; the last one is alone.
      const auto twice =
          with_head([](auto& head, Index D) { std::copy_n(head.begin(), 41 * D, head.begin() + 41 * D); },
                    step, threads);
      for (const Token token : twice->forward(rows.batch(), nullptr, {}).argmax())
        CHECK((token < 41 || token == 82));
    }
}

TEST_CASE("a score that is not a number is an error, not a token; -infinity is only a low score") {
  const PaddedBatch rows({text(5, 83), text(8, 83, 1)});
  for (const LadderStep& step : ladder_steps())
    for (const Index bad : {0, 31, 70, 82}) {
      CAPTURE(step.name);
      CAPTURE(bad);
      const auto model =
          with_head([&](auto& head, Index D) { head[static_cast<std::size_t>(bad * D + 5)] = NAN; }, step, 2);
      Logits& logits = model->forward(rows.batch(), nullptr, {});
      CHECK_THROWS_WITH_AS(logits.argmax(), doctest::Contains("not a number"), Error);
      CHECK(std::isnan(logits.host()(1, 7, bad)));
      CHECK_THROWS_WITH_AS(logits.argmax(), doctest::Contains("not a number"), Error);
    }
  const auto infinite =
      with_head([](auto& head, Index) { std::ranges::fill(head, -std::numeric_limits<float>::infinity()); },
                ladder_steps().back(), 2);
  // Both signs of infinity, which add up to NaN.
  CHECK_THROWS_AS(infinite->forward(rows.batch(), nullptr, {}).argmax(), Error);
}

TEST_CASE("NaN in the weights is not lost where x is rounded") {
  for (const DType dtype : {DType::kBF16, DType::kQ8_0, DType::kQ4_0}) {
    CAPTURE(dtype_name(dtype));
    const ModelConfig config = block_config("llama");
    WeightMap weights = random_weights(config, 12);
    weights.at("model.layers.1.input_layernorm.weight")[3] = NAN;
    const auto checkpoint = to_checkpoint(config, weights);
    checkpoint->convert(dtype);
    const auto model = fused(config, checkpoint, {.num_threads = 2, .compute = Compute::kFast});
    const PaddedBatch rows({text(5, 83)});
    CHECK_THROWS_WITH_AS(model->forward(rows.batch(), nullptr, {}).argmax(),
                         doctest::Contains("not a number"), Error);
  }
}

TEST_CASE("early exit, embeddings instead of ids, hidden states: as chapter 02's engine") {
  for (const char* family : {"llama", "qwen2", "qwen3"}) {
    const ModelConfig config = awkward_config(family);
    const WeightMap weights = random_weights(config, 4);
    Transformer naive(config, to_checkpoint(config, weights));
    for (const LadderStep& step : ladder_steps()) {
      CAPTURE(family);
      CAPTURE(step.name);
      const auto model = fused(config, to_checkpoint(config, weights), {.num_threads = 2}, &step);
      const PaddedBatch rows({text(9, 37), text(2, 37, 1)});
      for (const Index layers : {0, 1, 2, 3}) {
        const ForwardOptions options = {.num_layers = layers};
        CHECK(relative_error(scores(*model, rows.batch(), nullptr, options),
                             scores(naive, rows.batch(), nullptr, options)) < 1e-5);
      }
      const auto states = [&](CausalLM& lm) {
        std::vector<std::vector<float>> all;
        ForwardOptions options;
        options.on_hidden_state = [&](Index layer, View<const float, 3> hidden) {
          CHECK(layer == static_cast<Index>(all.size()));
          all.push_back(copy(hidden));
        };
        lm.forward(rows.batch(), nullptr, options);
        return all;
      };
      const auto got = states(*model), expected = states(naive);
      REQUIRE(got.size() == 4);
      for (std::size_t l = 0; l < 4; ++l) CHECK(relative_error(got[l], expected[l]) < 1e-5);
      // The embeddings, handed back in as they came out.
      Batch embedded = rows.batch();
      const std::vector<float> ids_scores = scores(*model, rows.batch());
      embedded.input_ids = {};
      embedded.inputs_embeds = {got[0].data(), {2, 9, config.hidden_size}};
      CHECK(scores(*model, embedded) == ids_scores);
    }
  }
}

TEST_CASE("a pass that stopped early leaves a cache that can be cropped and continued") {
  const ModelConfig config = awkward_config("qwen3");
  const auto model = fused(config, to_checkpoint(config, random_weights(config, 4)));
  const std::vector<Token> ids = text(12, 37);
  const auto part = [&](Index first, Index count) {
    return std::vector<Token>(ids.begin() + first, ids.begin() + first + count);
  };
  const std::vector<float> whole = scores(*model, {ids});
  const auto cache = model->make_cache({});
  scores(*model, PaddedBatch({part(0, 8)}).batch(), cache.get());
  scores(*model, PaddedBatch({{1, 2, 3}}, {8}).batch(), cache.get(), {.num_layers = 1});
  cache->crop(0, 8);
  const std::vector<float> rest = scores(*model, PaddedBatch({part(8, 4)}, {8}).batch(), cache.get());
  CHECK(std::equal(rest.begin(), rest.end(), whole.end() - static_cast<Index>(rest.size())));
}

}  // namespace
}  // namespace llm::test
