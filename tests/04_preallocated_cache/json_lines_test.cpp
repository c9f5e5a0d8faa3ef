// The greedy fixtures of transformers through every kind of cache, by the function that answers
// 04_preallocated_cache --jsonl.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "chapters/03_kv_cache/cached_json_lines.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_flags.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/generate_fixtures.h"

namespace llm::test {
namespace {

class Server {
 public:
  explicit Server(const std::string& model_name, CacheFlags flags = {}) : flags_(std::move(flags)) {
    if (flags_.engine.cache.empty()) flags_.engine.cache = "static";
    opened_ = open_model(model_path(model_name).string(), /*quiet=*/true);
    if (flags_.sliding_window) set_sliding_window(opened_.config, *flags_.sliding_window);
    model_ = std::make_unique<Transformer>(opened_.config, opened_.checkpoint, any_cache_engine());
  }

  Served serve(const std::string& lines) {
    const JsonLinesLoop loop = cached_json_lines(
        *model_, {.name = "04_preallocated_cache",
                  .request_fields = any_cache_request_fields(),
                  .generation_fields = any_cache_generation_fields(),
                  .caches = {cache_names().begin(), cache_names().end()},
                  .cache_spec = [&](const GenerateRequest& request, const GenerationConfig& config) {
                    return cache_spec(flags_, request, config);
                  }});
    return serve_lines(lines, [&](std::istream& in, std::ostream& out) {
      return answer_json_lines(in, out, opened_, loop, {}, "");
    });
  }

 private:
  CacheFlags flags_;
  OpenModel opened_;
  std::unique_ptr<Transformer> model_;
};

TEST_CASE("transformers' tokens, one row and batches, with each cache, in pieces and whole") {
  std::vector<Json> all = greedy_fixtures("greedy.jsonl");
  for (Json& fixture : greedy_fixtures("batch.jsonl")) all.push_back(std::move(fixture));
  const auto models = by_model(all);
  CHECK(models.size() > 3);
  for (const auto& [model, fixtures] : models) {
    Server server(model);
    std::vector<Json> requests, asked;
    for (const Json& fixture : fixtures)
      for (const char* cache : {"dynamic", "static", "offloaded", "int8"})  // texts are shorter than the tail
        for (const Json& chunk : {Json(), Json(3)}) {
          Json& request = requests.emplace_back(request_of(fixture));
          request["cache"] = cache;
          request["generation_config"]["prefill_chunk_size"] = chunk;
          asked.push_back(fixture);
        }
    const Served served = server.serve(to_json_lines(requests));
    CHECK(served.status == 0);
    check_sequences(served.answers, asked);
  }
}

TEST_CASE("a window: the ring gives the tokens of the naive pass with the same window") {
  for (const Index window : {1, 3, 8}) {
    CacheFlags flags;
    flags.sliding_window = window;
    Server server("tiny-qwen3", flags);
    const std::string request =
        "{\"input_ids\": [[318,5,307,333,41,7,9,200,31,5,60,61]], \"generation_config\": "
        "{\"max_new_tokens\": 20";
    const Served served =
        server.serve(request + "}, \"engine\": \"naive\"}\n" + request + "}, \"cache\": \"sliding\"}\n" +
                     request + ", \"prefill_chunk_size\": 5}, \"cache\": \"sliding\"}\n" + request +
                     ", \"cache_implementation\": \"sliding_window\"}}\n" + request +
                     "}, \"cache\": \"sliding\", \"offload\": true}\n");
    CHECK(served.status == 0);
    REQUIRE(served.answers.size() == 5);
    for (const Json& answer : served.answers) CHECK(answer["sequences"] == served.answers[0]["sequences"]);
  }
}

TEST_CASE("what a request says about its cache wins over what the program was told") {
  CacheFlags flags;
  flags.engine.cache = "static";
  flags.cache_dtype = "bf16";
  flags.group_size = 32;
  const auto spec = [&](const char* cache, const GenerationConfig& config) {
    GenerateRequest request;
    if (*cache != '\0') request.cache = cache;
    return cache_spec(flags, request, config);
  };
  CHECK(spec("", {}).cache == "static");
  CHECK(spec("", {}).cache_dtype == "bf16");
  CHECK(spec("int4", {}).cache == "int4");
  CHECK(spec("int4", {}).group_size == 32);
  GenerateRequest offloaded;
  offloaded.offload = true;
  CHECK(cache_spec(flags, offloaded, {}).offload);
  GenerationConfig config;
  const std::vector<std::tuple<const char*, const char*, bool>> names = {
      {"dynamic", "dynamic", false},  {"static", "static", false},
      {"offloaded", "dynamic", true}, {"offloaded_static", "static", true},
      {"quantized", "int4", false},   {"sliding_window", "sliding", false}};
  for (const auto& [name, cache, offload] : names) {
    config.cache_implementation = name;
    CHECK(spec("", config).cache == cache);
    CHECK(spec("", config).offload == offload);
    CHECK(spec("dynamic", config).cache == "dynamic");
    CHECK(!spec("dynamic", config).offload);
  }
  config.cache_implementation = "quantized";
  config.cache_config = QuantizedCacheConfig{.nbits = 8, .q_group_size = 16, .residual_length = 5};
  CHECK(spec("", config).cache == "int8");
  CHECK(spec("", config).group_size == 16);
  CHECK(spec("", config).residual_length == 5);
  config.max_cache_len = 77;
  CHECK(spec("", config).max_cache_len == 77);
}

TEST_CASE("what cannot be is that line's error; the others are answered") {
  Server server("tiny-qwen3");
  const std::string ids = "{\"input_ids\": [[5, 6, 7]], \"generation_config\": {\"max_new_tokens\": 3";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {ids + ", \"max_cache_len\": 2}}", "max_cache_len must be 3 or more"},
      {ids + ", \"max_cache_len\": 4}}", "max_cache_len must be 5 or more"},
      {ids + ", \"max_cache_len\": 0}}", "max_cache_len"},
      {ids + "}, \"cache\": \"sliding\"}", "--sliding-window"},
      {ids + "}, \"cache\": \"paged\"}", "paged"},
      {ids + ", \"cache_implementation\": \"paged\"}}", "paged"},
      {ids + ", \"cache_implementation\": \"quantized\", \"cache_config\": {\"nbits\": 3}}}", "nbits"},
      {ids + ", \"cache_implementation\": \"quantized\", \"cache_config\": {\"q_group_size\": 7}}}",
       "divisor of head_dim"}};
  check_refusals([&](const std::string& lines) { return server.serve(lines); }, bad,
                 ids + ", \"max_cache_len\": 5}}", 6);
}

}  // namespace
}  // namespace llm::test
