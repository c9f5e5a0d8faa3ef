// SmolLM2-135M-Instruct (make model fetches it) with a cache: transformers' tokens, and the scores of a text
// that is read in pieces.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/cached_greedy.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/json_lines.h"

namespace llm::test {
namespace {

// Null where the file has not been fetched.
Transformer* smollm2() {
  const OpenModel* opened = open_smollm2();
  if (!opened) return nullptr;
  static Transformer model(opened->config, opened->checkpoint, cached_engine(dynamic_cache_kinds()));
  return &model;
}

constexpr std::size_t kMostTokens = 12;  // a token takes a twentieth of a second

TEST_CASE("SmolLM2: the first new tokens of every fixture, the prompt whole and in pieces") {
  Transformer* model = smollm2();
  if (!model) return;
  Index cases = 0;
  for (const Json& golden : read_json_lines(data_path("smollm2/generate.jsonl"))) {
    CAPTURE(golden["name"].get<std::string>());
    const std::vector<std::vector<Token>> rows = {golden["input_ids"].get<std::vector<Token>>()};
    auto expected = golden["new_tokens"].get<std::vector<Token>>();
    if (expected.size() > kMostTokens) expected.resize(kMostTokens);
    const auto cache = model->make_cache({});
    const std::vector<Token> eos = {2};
    const std::optional<Index> chunk = cases % 2 == 0 ? std::nullopt : std::optional<Index>(5);
    CHECK(
        cached_greedy(*model, *cache, rows, static_cast<Index>(expected.size()), eos, chunk).new_tokens[0] ==
        expected);
    ++cases;
  }
  CHECK(cases > 5);
}

// Mean of the log-probabilities of ids[1..], read in pieces of 33.
double mean_log_probability(Transformer& model, const std::vector<Token>& ids, const char* cache_dtype) {
  const auto cache = model.make_cache({.cache_dtype = cache_dtype});
  double total = 0;
  for (std::size_t first = 0; first < ids.size(); first += 33) {
    const std::size_t count = std::min<std::size_t>(33, ids.size() - first);
    const NewTokens piece(std::span<const Token>(ids).subspan(first, count), *cache);
    const View<const float, 3> logits = model.forward(piece.batch(), cache.get(), {}).host();
    for (std::size_t i = 0; i < count && first + i + 1 < ids.size(); ++i) {
      const View<const float, 1> scores = logits[0][static_cast<Index>(i)];
      double sum = 0;
      for (const float score : scores) sum += std::exp(static_cast<double>(score));
      total += static_cast<double>(scores[ids[first + i + 1]]) - std::log(sum);
    }
  }
  return total / static_cast<double>(ids.size() - 1);
}

TEST_CASE("SmolLM2: the perplexity of 200 tokens in pieces, with each format of keys and values") {
  Transformer* model = smollm2();
  if (!model) return;
  const Json golden = read_json_file(data_path("smollm2/perplexity.json"));
  const auto ids = golden["input_ids"].get<std::vector<Token>>();
  const double expected = golden["mean_log_prob"].get<double>();
  CHECK(std::abs(mean_log_probability(*model, ids, "f32") - expected) < 2e-5);
  CHECK(std::abs(mean_log_probability(*model, ids, "f16") - expected) < 5e-4);
  CHECK(std::abs(mean_log_probability(*model, ids, "bf16") - expected) < 5e-3);
}

}  // namespace
}  // namespace llm::test
