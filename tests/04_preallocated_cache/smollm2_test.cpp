// SmolLM2-135M-Instruct (make model fetches it) with every kind of cache: transformers' tokens, and what
// codes do to a text of 200 tokens.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "chapters/03_kv_cache/cached_greedy.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/quality.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/json_lines.h"

namespace llm::test {
namespace {

// Null where the file has not been fetched.
Transformer* smollm2() {
  const OpenModel* opened = open_smollm2();
  if (!opened) return nullptr;
  static Transformer model(opened->config, opened->checkpoint, any_cache_engine());
  return &model;
}

TEST_CASE("SmolLM2: three prompts in one batch, rows leave when they have ended, with each cache") {
  Transformer* model = smollm2();
  if (!model) return;
  std::vector<std::vector<Token>> rows, expected;
  for (const Json& golden : read_json_lines(data_path("smollm2/generate.jsonl"))) {
    if (rows.size() == 3) break;
    rows.push_back(golden["input_ids"].get<std::vector<Token>>());
    expected.push_back(golden["new_tokens"].get<std::vector<Token>>());
    expected.back().resize(std::min<std::size_t>(expected.back().size(), 4));
  }
  REQUIRE(rows.size() == 3);
  for (const char* kind : {"static", "int8"})  // the texts are shorter than the tail
    for (const bool offload : {false, true}) {
      if (offload && kind != std::string("static")) continue;
      const CacheSpec spec{.cache = kind, .offload = offload, .num_rows = 3, .max_cache_len = 128};
      const auto cache = model->make_cache(spec);
      CAPTURE(cache_name(spec));
      const std::vector<Token> eos = {2};
      CHECK(cached_greedy(*model, *cache, rows, 4, eos).new_tokens == expected);
    }
}

TEST_CASE("SmolLM2: perplexity with codes, without a tail: int8 within half a percent, int4 near") {
  Transformer* model = smollm2();
  if (!model) return;
  const Json golden = read_json_file(data_path("smollm2/perplexity.json"));
  const auto ids = golden["input_ids"].get<std::vector<Token>>();
  const double expected = std::exp(-golden["mean_log_prob"].get<double>());
  const auto change = [&](const CacheSpec& spec) {
    const auto cache = model->make_cache(spec);
    return perplexity(*model, *cache, ids, 40).value / expected - 1;
  };
  CHECK(std::abs(change({.cache = "static", .max_cache_len = 200})) < 1e-4);
  CHECK(std::abs(change({.cache = "int8", .cache_dtype = "bf16", .residual_length = 0})) < 0.005);
  CHECK(std::abs(change({.cache = "int4", .cache_dtype = "bf16", .residual_length = 0})) < 0.3);
}

}  // namespace
}  // namespace llm::test
