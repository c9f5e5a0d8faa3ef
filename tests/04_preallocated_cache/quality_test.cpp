// Perplexity and the comparison of scores, against an oracle and against caches that are known to be right.
#include "chapters/04_preallocated_cache/quality.h"

#include <doctest/doctest.h>

#include <cmath>

#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_memory.h"
#include "tests/02_naive_loop/random_model.h"

namespace llm::test {
namespace {

std::vector<Token> text(Index length) {
  std::vector<Token> ids;
  for (Index i = 0; i < length; ++i) ids.push_back(static_cast<Token>((i * i * 3 + i * 7 + 5) % 37));
  return ids;
}

TEST_CASE("perplexity is exp of the mean negative log probability, in pieces of any size") {
  const ModelConfig config = awkward_config("qwen3");
  const WeightMap weights = random_weights(config, 3);
  Transformer model(config, to_checkpoint(config, weights), any_cache_engine());
  const std::vector<Token> ids = text(24);
  const std::vector<float> logits = oracle_logits(config, weights, ids);
  double sum = 0;
  for (std::size_t t = 0; t + 1 < ids.size(); ++t) {
    double total = 0;
    for (std::size_t v = 0; v < 37; ++v) total += std::exp(static_cast<double>(logits[t * 37 + v]));
    sum += std::log(total) - static_cast<double>(logits[t * 37 + static_cast<std::size_t>(ids[t + 1])]);
  }
  for (const Index chunk : {1, 5, 23, 100}) {
    const auto cache = model.make_cache({});
    const Perplexity result = perplexity(model, *cache, ids, chunk);
    CHECK(result.tokens == 23);
    CHECK(result.value == doctest::Approx(std::exp(sum / 23)).epsilon(1e-5));
    CHECK(cache->get_seq_length(0) == 23);
  }
  const auto cache = model.make_cache({});
  CHECK_THROWS_AS(perplexity(model, *cache, text(1), 8), Error);
}

TEST_CASE("comparing scores: nothing for an exact cache, more for fewer bits") {
  const ModelConfig config = awkward_config("llama");
  Transformer model(config, to_checkpoint(config, random_weights(config, 3)), any_cache_engine());
  const std::vector<Token> ids = text(30);
  const auto compare = [&](const CacheSpec& spec, Index first) {
    const auto cache = model.make_cache(spec);
    return compare_scores(model, *cache, ids, first);
  };
  for (const Index first : {1, 4, 29}) {
    const ScoreComparison exact = compare({.cache = "static", .max_cache_len = 30}, first);
    CHECK(exact.tokens == 30 - first);
    CHECK(exact.same_best == exact.tokens);
    CHECK(exact.largest_error < 1e-5);
  }
  CHECK(compare({.cache = "int8"}, 4).largest_error < 1e-5);  // all in the tail
  const double int8 = compare({.cache = "int8", .residual_length = 0}, 4).largest_error;
  const double int4 = compare({.cache = "int4", .residual_length = 0}, 4).largest_error;
  CHECK(int8 > 1e-5);
  CHECK(int4 > 2 * int8);
}

TEST_CASE("scores that are NaN are no equal scores") {
  const ModelConfig config = awkward_config("llama");
  WeightMap weights = random_weights(config, 3);
  weights.at("model.norm.weight")[1] = NAN;
  Transformer model(config, to_checkpoint(config, weights), any_cache_engine());
  const auto cache = model.make_cache({.cache = "int8"});
  CHECK(std::isnan(compare_scores(model, *cache, text(9), 4).largest_error));
}

TEST_CASE("the table of qualities: the exact cache first, codes less") {
  ModelConfig config = awkward_config("qwen3");
  config.head_dim = 16;
  Transformer model(config, to_checkpoint(config, random_weights(config, 3)), any_cache_engine());
  const std::vector<Token> ids = text(300);
  const auto rows = measure_quality(model, ids, compared_caches(config), {.residual_length = 16});
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].spec.cache_dtype == "f32");
  for (const QualityRow& row : rows) {
    CAPTURE(cache_name(row.spec));
    CHECK(row.perplexity.tokens == 299);
    CHECK(row.perplexity.value == doctest::Approx(rows[0].perplexity.value).epsilon(0.2));
  }
  CHECK(rows[1].memory_bytes * 2 == rows[0].memory_bytes);
  CHECK(rows[2].memory_bytes < rows[1].memory_bytes);
  CHECK(rows[3].memory_bytes < rows[2].memory_bytes);
}

}  // namespace
}  // namespace llm::test
