// The greedy fixtures of transformers, to the token.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "chapters/03_kv_cache/cached_json_lines.h"
#include "chapters/04_preallocated_cache/cache_flags.h"
#include "tests/02_naive_loop/generate_fixtures.h"
#include "tests/05_fused_cpu/engine_cases.h"

namespace llm::test {
namespace {

// Answers of the model, in its own format, by an engine on a step of the ladder.
Served serve(const std::string& name, const std::string& lines, const FusedOptions& options,
             const LadderStep& step) {
  const OpenModel opened = open_model(model_path(name).string(), /*quiet=*/true);
  const auto model = fused(opened.config, opened.checkpoint, options, &step);
  CacheFlags flags;
  flags.engine.cache = "static";
  const JsonLinesLoop loop = cached_json_lines(
      *model, {.name = "05_fused_cpu",
               .request_fields = any_cache_request_fields(),
               .generation_fields = any_cache_generation_fields(),
               .caches = {"dynamic", "static", "sliding", "int8", "int4", "offloaded"},
               .cache_spec = [&](const GenerateRequest& request, const GenerationConfig& config) {
                 return cache_spec(flags, request, config);
               }});
  return serve_lines(lines, [&](std::istream& in, std::ostream& out) {
    return answer_json_lines(in, out, opened, loop, {}, "");
  });
}

TEST_CASE("transformers' tokens, one row and batches, with each cache, in pieces and whole, on each step") {
  std::vector<Json> all = greedy_fixtures("greedy.jsonl");
  for (Json& fixture : greedy_fixtures("batch.jsonl")) all.push_back(std::move(fixture));
  const auto models = by_model(all);
  CHECK(models.size() > 3);
  for (const auto& [bound_name, fixtures] : models)
    for (const LadderStep& step : ladder_steps()) {
      const std::string& name = bound_name;  // clang 14 cannot capture the binding itself
      CAPTURE(name);
      CAPTURE(step.name);
      const bool last = step.number == 8;
      std::vector<Json> requests, asked;
      for (const Json& fixture : fixtures)
        for (const char* cache :
             {"static", "dynamic", "offloaded", "int8"})  // texts are shorter than the tail
          for (const Json& chunk : {Json(), Json(3)}) {
            if (!last && (cache != std::string("static") || !chunk.is_null())) continue;
            Json& request = requests.emplace_back(request_of(fixture));
            request["cache"] = cache;
            request["generation_config"]["prefill_chunk_size"] = chunk;
            asked.push_back(fixture);
          }
      const Served served = serve(name, to_json_lines(requests), {.num_threads = 2}, step);
      CHECK(served.status == 0);
      check_sequences(served.answers, asked);
    }
}

// Nothing is rounded where weights are float32.
TEST_CASE("float32 files: fast gives the same tokens") {
  for (const auto& [name, fixtures] : by_model(greedy_fixtures("greedy.jsonl"))) {
    if (name == "tiny-qwen3-bf16") continue;
    std::vector<Json> requests;
    for (const Json& fixture : fixtures) requests.push_back(request_of(fixture));
    const Served served =
        serve(name, to_json_lines(requests), {.compute = Compute::kFast}, ladder_steps().back());
    CHECK(served.status == 0);
    check_sequences(served.answers, fixtures);
  }
}

}  // namespace
}  // namespace llm::test
