// The greedy fixtures of transformers through the cache, by the function that answers 03_kv_cache --jsonl.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/cached_json_lines.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/generate_fixtures.h"

namespace llm::test {
namespace {

class Server {
 public:
  explicit Server(const std::string& model_name, const std::string& cache_dtype = "f32")
      : opened_(open_model(model_path(model_name).string(), /*quiet=*/true)),
        model_(opened_.config, opened_.checkpoint, cached_engine(dynamic_cache_kinds())),
        cache_dtype_(cache_dtype) {}

  Served serve(const std::string& lines) {
    const auto spec_of = [&](const GenerateRequest& request, const GenerationConfig&) {
      return CacheSpec{.cache = request.cache.value_or("dynamic"), .cache_dtype = cache_dtype_};
    };
    const JsonLinesLoop loop = cached_json_lines(model_, {.cache_spec = spec_of});
    return serve_lines(lines, [&](std::istream& in, std::ostream& out) {
      return answer_json_lines(in, out, opened_, loop, {}, "");
    });
  }

 private:
  OpenModel opened_;
  Transformer model_;
  std::string cache_dtype_;
};

void check_fixtures(const std::string& file, std::size_t expected_cases) {
  std::size_t cases = 0;
  for (const auto& [model, fixtures] : by_model(greedy_fixtures(file))) {
    Server server(model);
    for (const Json& chunk : {Json(), Json(1), Json(3), Json(64)}) {
      CAPTURE(chunk.dump());
      std::vector<Json> requests;
      for (const Json& fixture : fixtures) {
        Json& request = requests.emplace_back(request_of(fixture));
        request["cache"] = "dynamic";
        request["generation_config"]["prefill_chunk_size"] = chunk;
      }
      const Served served = server.serve(to_json_lines(requests));
      CHECK(served.status == 0);
      check_sequences(served.answers, fixtures);
    }
    cases += fixtures.size();
  }
  CHECK(cases == expected_cases);
}

TEST_CASE("greedy.jsonl") { check_fixtures("greedy.jsonl", 18); }
TEST_CASE("batch.jsonl") { check_fixtures("batch.jsonl", 6); }
TEST_CASE("assisted.jsonl, without the drafts: the same tokens") { check_fixtures("assisted.jsonl", 6); }

TEST_CASE("engine, cache and use_cache say how; the tokens are the same, the positions are not") {
  Server server("tiny-qwen3");
  const std::string ids =
      "{\"input_ids\": [[318,5,307,333,41]], \"generation_config\": {\"max_new_tokens\": 9";
  const Served served =
      server.serve(ids + "}}\n" + ids + "}, \"engine\": \"cached\", \"cache\": \"dynamic\"}\n" + ids +
                   "}, \"engine\": \"naive\"}\n" + ids + ", \"use_cache\": false}}\n" + ids +
                   ", \"prefill_chunk_size\": 2}}\n");
  CHECK(served.status == 0);
  REQUIRE(served.answers.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    CHECK(served.answers[i]["sequences"] == served.answers[0]["sequences"]);
    const bool naive = i == 2 || i == 3;
    CHECK(served.answers[i]["stats"]["positions"] == (naive ? 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 : 5 + 8));
    CHECK(served.answers[i]["stats"]["forwards"] == (i == 4 ? 3 + 8 : 9));
    CHECK(served.answers[i]["finish_reason"] == Json{"length"});
  }
}

TEST_CASE("what this chapter cannot do is that line's error; the others are answered") {
  Server server("tiny-qwen3");
  const std::string ids = "{\"input_ids\": [[5, 6]], \"generation_config\": {\"max_new_tokens\": 1";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {ids + "}, \"cache\": \"static\"}", "static"},
      {ids + "}, \"cache\": \"offloaded\"}", "offloaded"},
      {ids + "}, \"offload\": true}", "offload"},
      {ids + "}, \"engine\": \"fused\"}", "fused"},
      {ids + "}, \"engine\": \"naive\", \"cache\": \"dynamic\"}", "cache"},
      {ids + ", \"use_cache\": false}, \"cache\": \"dynamic\"}", "cache"},
      {ids + ", \"prefill_chunk_size\": 0}}", "prefill_chunk_size"},
      {ids + ", \"prefill_chunk_size\": -3}}", "prefill_chunk_size"},
      {ids + ", \"max_cache_len\": 9}}", "max_cache_len"},
      {ids + ", \"num_beams\": 2}}", "num_beams"}};
  check_refusals([&](const std::string& lines) { return server.serve(lines); }, bad, ids + "}}", 3);
}

TEST_CASE("a text may fill the model's length to the last token") {
  Server server("tiny-qwen3");
  std::string ids = "1";
  for (int i = 0; i < 509; ++i) ids += ",7";
  const Served served = server.serve("{\"input_ids\": [[" + ids + "]], \"generation_config\": " +
                                     "{\"max_new_tokens\": 50, \"prefill_chunk_size\": 100}}\n");
  REQUIRE(served.answers.size() == 1);
  CHECK(served.answers[0]["stats"]["new_tokens"] == 3);  // 510 + 3: the last one needs no position
  CHECK(served.answers[0]["stats"]["positions"] == 512);
  CHECK(served.answers[0]["stats"]["forwards"] == 6 + 2);
}

}  // namespace
}  // namespace llm::test
