// The loop with a cache: positions, chunks, batches, rows that end.
#include "chapters/03_kv_cache/cached_greedy.h"

#include <doctest/doctest.h>

#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/dynamic_layer.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "common/base/parallel.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/random_model.h"

namespace llm::test {
namespace {

using Rows = std::vector<std::vector<Token>>;
const Rows kRows = {{3, 1, 4, 1, 5, 9, 2, 6}, {27}, {18, 28, 18}, {31, 14, 15, 36, 0, 35, 8, 7, 2}, {1, 36}};

ModelConfig windowed_config() {
  ModelConfig config = awkward_config("qwen3");
  config.sliding_window = 4;
  config.layer_types = {LayerType::kSlidingAttention, LayerType::kFullAttention,
                        LayerType::kSlidingAttention};
  return config;
}

struct RandomModel {
  explicit RandomModel(const ModelConfig& config)
      : model(config, to_checkpoint(config, random_weights(config, 11)),
              cached_engine(dynamic_cache_kinds())) {}
  std::unique_ptr<Cache> cache(Index rows, const char* dtype = "f32") const {
    return model.make_cache({.cache_dtype = dtype, .num_rows = rows});
  }
  Transformer model;
};

std::vector<ModelConfig> all_configs() {
  return {awkward_config("llama"), awkward_config("qwen2"), awkward_config("qwen3"), windowed_config()};
}

std::vector<float> copy(Logits& logits) {
  const View<const float, 3> scores = logits.host();
  return {scores.data(), scores.data() + scores.size()};
}

std::vector<std::span<const Token>> spans(const Rows& rows) { return {rows.begin(), rows.end()}; }

// The scores after each step of feeding `text` to row 0, the first `prompt` tokens in pieces of `chunk`.
std::vector<float> stepwise(RandomModel& random, Cache& cache, std::span<const Token> text,
                            std::size_t prompt, Index chunk) {
  std::vector<float> last = copy(prefill(random.model, cache, text.first(prompt), chunk));
  for (std::size_t i = prompt; i < text.size(); ++i) {
    const NewTokens step(text.subspan(i, 1), cache);
    const std::vector<float> scores = copy(random.model.forward(step.batch(), &cache, {.logits_to_keep = 1}));
    last.insert(last.end(), scores.begin(), scores.end());
  }
  return last;
}

TEST_CASE("scores of every step equal those without a cache, wherever the prompt is cut") {
  const std::vector<Token> text = {3, 1, 4, 1, 5, 9, 2, 6, 5, 35, 8, 9, 7, 36};
  for (const ModelConfig& config : all_configs()) {
    RandomModel random(config);
    const std::vector<float> all = run(random.model, FullBatch(text).batch());
    for (const std::size_t prompt : {1, 5, 13})
      for (const Index chunk : {1, 2, 3, 4, 5, 6, 7, 100}) {
        CAPTURE(config.model_type);
        CAPTURE(prompt);
        CAPTURE(chunk);
        const auto cache = random.cache(1);
        const std::span<const float> expected(all.begin() + static_cast<std::ptrdiff_t>((prompt - 1) * 37),
                                              all.end());
        CHECK(relative_error(stepwise(random, *cache, text, prompt, chunk), expected) < 1e-5);
        CHECK(cache->get_seq_length(0) == 14);
      }
  }
}

TEST_CASE("bf16 and f16 keys and values: the scores are off by their rounding, and by something") {
  const std::vector<Token> text = {3, 1, 4, 1, 5, 9, 2, 6, 5, 35, 8, 9, 7, 36};
  for (const ModelConfig& config : all_configs()) {
    RandomModel random(config);
    const std::vector<float> all = run(random.model, FullBatch(text).batch());
    const std::span<const float> expected(all.begin() + 4 * 37, all.end());
    for (const auto& [bound_name, bound] : {std::pair("bf16", 0x1p-4), std::pair("f16", 0x1p-7)}) {
      const std::string name = bound_name;  // clang 14 cannot capture the binding itself
      CAPTURE(name);
      const auto cache = random.cache(1, name.c_str());
      const double error = relative_error(stepwise(random, *cache, text, 5, 2), expected);
      CHECK(error < bound);
      CHECK(error > bound / 4096);
    }
  }
}

TEST_CASE("unused memory of the cache is never read: it is NaN here") {
  const std::vector<Token> text = {3, 1, 4, 1, 5, 9, 2, 6, 5, 35, 8, 9, 7, 36};
  RandomModel random(windowed_config());
  const std::vector<float> expected = run(random.model, FullBatch(text).batch(), {.logits_to_keep = 1});
  for (const char* dtype : {"f32", "bf16"}) {
    const auto cache = random.cache(3, dtype);
    for (std::size_t i = 0; i < text.size(); ++i) {
      for (Index l = 0; l < cache->num_layers(); ++l)
        dynamic_cast<DynamicLayer&>(cache->layer(l)).poison_spare();
      random.model.workspace().poison();
      const NewTokens step(std::span<const Token>(text).subspan(i, 1), *cache);
      const std::vector<float> got =
          copy(random.model.forward(step.batch(), cache.get(), {.logits_to_keep = 1}));
      if (i + 1 == text.size()) CHECK(relative_error(got, expected) < (dtype[0] == 'f' ? 1e-5 : 0.06));
    }
  }
}

TEST_CASE("a batch: every row's tokens are those of the row alone and of the loop without a cache") {
  for (const ModelConfig& config : all_configs()) {
    RandomModel random(config);
    const GreedyResult naive = greedy(random.model, kRows, 12, {});
    for (const std::optional<Index> chunk :
         {std::optional<Index>(), std::optional<Index>(1), std::optional<Index>(4)}) {
      const auto cache = random.cache(5);
      const GreedyResult together = cached_greedy(random.model, *cache, kRows, 12, {}, chunk);
      CHECK(together.new_tokens == naive.new_tokens);
      CHECK(together.finish_reason == naive.finish_reason);
      for (Index b = 0; b < 5; ++b)  // no forward pass after the last token
        CHECK(cache->get_seq_length(b) == static_cast<Index>(kRows[static_cast<std::size_t>(b)].size()) + 11);
    }
    for (std::size_t b = 0; b < kRows.size(); ++b) {
      const auto cache = random.cache(1);
      CHECK(cached_greedy(random.model, *cache, Rows{kRows[b]}, 12, {}).new_tokens[0] == naive.new_tokens[b]);
    }
  }
}

TEST_CASE("five prompt tokens and 64 new ones: 68 positions, 64 forward passes") {
  RandomModel random(awkward_config("llama"));
  const auto cache = random.cache(1);
  const GreedyResult result = cached_greedy(random.model, *cache, Rows{{1, 2, 3, 4, 5}}, 64, {});
  CHECK(result.positions == 68);
  CHECK(result.forwards == 64);
  CHECK(cache->get_seq_length(0) == 68);
  CHECK(greedy(random.model, Rows{{1, 2, 3, 4, 5}}, 64, {}).positions == 2336);
  CHECK(result.new_tokens[0].size() == 64);
}

TEST_CASE("rows that end leave the batch and cost nothing more; their end token is never fed") {
  RandomModel random(awkward_config("qwen3"));
  const GreedyResult all = greedy(random.model, kRows, 12, {});
  // An end token that ends some rows early and others never.
  const std::vector<Token> eos = {all.new_tokens[0][2], all.new_tokens[3][5]};
  const GreedyResult naive = greedy(random.model, kRows, 12, eos);
  const auto cache = random.cache(5);
  const GreedyResult result = cached_greedy(random.model, *cache, kRows, 12, eos);
  CHECK(result.new_tokens == naive.new_tokens);
  CHECK(result.finish_reason == naive.finish_reason);
  Index positions = 0;
  bool early = false;
  for (std::size_t b = 0; b < kRows.size(); ++b) {
    const auto fed = static_cast<Index>(kRows[b].size() + result.new_tokens[b].size()) - 1;
    CHECK(cache->get_seq_length(static_cast<Index>(b)) == fed);
    positions += fed;
    early = early || result.new_tokens[b].size() < 12;
  }
  CHECK(result.positions == positions);
  CHECK(early);
}

TEST_CASE("a cache that holds the beginning is continued; crop goes back to any length") {
  RandomModel random(windowed_config());
  const Rows whole = {kRows[3]};
  const GreedyResult expected = greedy(random.model, whole, 9, {});
  for (Index kept = 0; kept < static_cast<Index>(whole[0].size()); ++kept) {
    CAPTURE(kept);
    const auto cache = random.cache(1);
    (void)prefill(random.model, *cache, std::span<const Token>(whole[0]));
    const NewTokens junk(std::vector<Token>{30, 31}, *cache);
    (void)random.model.forward(junk.batch(), cache.get(), {});
    cache->crop(0, kept);
    const Rows rest = {{whole[0].begin() + kept, whole[0].end()}};
    CHECK(cached_greedy(random.model, *cache, rest, 9, {}, 2).new_tokens == expected.new_tokens);
  }
}

TEST_CASE("rows reordered in the middle go on as the rows that they were") {
  RandomModel random(awkward_config("qwen2"));
  const Rows rows = {kRows[0], kRows[2], kRows[3]};
  const GreedyResult expected = greedy(random.model, rows, 8, {});
  const auto cache = random.cache(3);
  const GreedyResult first = cached_greedy(random.model, *cache, rows, 4, {});
  cache->reorder(std::vector<Index>{2, 0, 2, 1});
  Rows last;  // the newest token of each row was not fed yet
  for (const std::size_t old : {2u, 0u, 2u, 1u}) last.push_back({first.new_tokens[old].back()});
  const GreedyResult second = cached_greedy(random.model, *cache, last, 4, {});
  std::size_t i = 0;
  for (const std::size_t old : {2u, 0u, 2u, 1u}) {
    std::vector<Token> tokens = first.new_tokens[old];
    tokens.insert(tokens.end(), second.new_tokens[i].begin(), second.new_tokens[i].end());
    CHECK(tokens == expected.new_tokens[old]);
    ++i;
  }
}

TEST_CASE("one, two and four threads: the same bits") {
  ModelConfig config = windowed_config();
  config.vocab_size = 700;
  config.intermediate_size = 300;
  RandomModel random(config);
  const Rows rows = {std::vector<Token>(90, 8), {500, 600, 7}};
  std::vector<std::vector<float>> scores;
  for (const int threads : {1, 2, 4}) {
    set_num_threads(threads);
    const auto cache = random.cache(2);
    std::vector<float> all = copy(prefill(random.model, *cache, spans(rows), 40));
    for (const Token token : {5, 6, 7}) {
      const NewTokens step(spans({{token}, {token + 100}}), *cache);
      const std::vector<float> next = copy(random.model.forward(step.batch(), cache.get(), {}));
      all.insert(all.end(), next.begin(), next.end());
    }
    scores.push_back(std::move(all));
  }
  set_num_threads(2);
  CHECK(scores[0] == scores[1]);
  CHECK(scores[0] == scores[2]);
}

TEST_CASE("nothing to generate, nobody to generate for") {
  RandomModel random(awkward_config("llama"));
  const auto cache = random.cache(1);
  CHECK(cached_greedy(random.model, *cache, Rows{{1, 2}}, 0, {}).new_tokens == Rows{{}});
  CHECK(cached_greedy(random.model, *cache, {}, 5, {}).new_tokens.empty());
  for (const Index chunk : {0, -1})
    CHECK_THROWS_AS(cached_greedy(random.model, *cache, Rows{{1, 2}}, 5, {}, chunk), Error);
  CHECK_THROWS_AS(cached_greedy(random.model, *cache, Rows{{}}, 5, {}), Error);
  CHECK(cache->get_seq_length(0) == 0);
}

}  // namespace
}  // namespace llm::test
