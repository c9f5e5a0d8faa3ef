// SmolLM2-135M-Instruct (make model fetches it), in the file's own formats: transformers' tokens.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "chapters/03_kv_cache/cached_greedy.h"
#include "chapters/04_preallocated_cache/quality.h"
#include "tests/05_fused_cpu/engine_cases.h"
#include "tests/json_lines.h"

namespace llm::test {
namespace {

// The engine on the last step. Null where the file has not been fetched.
std::unique_ptr<FusedModel> smollm2(Compute compute) {
  const OpenModel* opened = open_smollm2();
  if (!opened) return nullptr;
  return fused(opened->config, opened->checkpoint, {.num_threads = 2, .compute = compute});
}

TEST_CASE("SmolLM2: all new tokens of every fixture, alone and in one batch; fast too for the first ones") {
  const auto exact = smollm2(Compute::kExact);
  if (!exact) return;
  CHECK(exact->unused_tensors().empty());
  std::vector<std::vector<Token>> rows, expected;
  for (const Json& golden : read_json_lines(data_path("smollm2/generate.jsonl"))) {
    rows.push_back(golden["input_ids"].get<std::vector<Token>>());
    expected.push_back(golden["new_tokens"].get<std::vector<Token>>());
  }
  REQUIRE(rows.size() == 10);
  const std::vector<Token> eos = {2};
  const auto all = exact->make_cache({.cache = "static", .num_rows = 10, .max_cache_len = 128});
  CHECK(cached_greedy(*exact, *all, rows, 40, eos).new_tokens == expected);
  for (const std::size_t i : {std::size_t{0}, std::size_t{8}}) {
    const auto cache = exact->make_cache({.cache = i == 0 ? "dynamic" : "static", .max_cache_len = 128});
    CHECK(cached_greedy(*exact, *cache, {&rows[i], 1}, 40, eos).new_tokens[0] == expected[i]);
  }
  const auto fast = smollm2(Compute::kFast);
  const auto cache = fast->make_cache({.cache = "int8", .num_rows = 10, .max_cache_len = 128});
  const auto got = cached_greedy(*fast, *cache, rows, 40, eos).new_tokens;
  Index same = 0;
  for (std::size_t i = 0; i < 10; ++i) same += got[i][0] == expected[i][0];
  CHECK(same >= 9);
}

TEST_CASE(
    "SmolLM2: perplexity of 200 tokens: exact is transformers', fast and codes of INT8 are within 1 %") {
  const Json golden = read_json_file(data_path("smollm2/perplexity.json"));
  const auto ids = golden["input_ids"].get<std::vector<Token>>();
  const double expected = std::exp(-golden["mean_log_prob"].get<double>());
  const auto change = [&](Compute compute, const CacheSpec& spec, Index chunk) {
    const auto model = smollm2(compute);
    if (!model) return 0.0;
    const auto cache = model->make_cache(spec);
    const double relative = perplexity(*model, *cache, ids, chunk).value / expected - 1;
    MESSAGE("perplexity changes by ", relative);
    return std::abs(relative);
  };
  const CacheSpec whole{.cache = "static", .max_cache_len = 200};
  CHECK(change(Compute::kExact, whole, 200) < 1e-4);
  CHECK(change(Compute::kFast, whole, 200) < 0.01);
  CHECK(change(Compute::kExact, {.cache = "int8", .cache_dtype = "bf16", .residual_length = 0}, 40) < 0.01);
}

}  // namespace
}  // namespace llm::test
