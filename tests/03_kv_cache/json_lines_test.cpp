// The greedy fixtures of transformers through the cache, by the function that answers 03_kv_cache --jsonl.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/cached_json_lines.h"
#include "tests/02_naive_loop/fixtures.h"

namespace llm::test {
namespace {

struct Served {
  std::vector<Json> answers = {};
  int status = 0;
};

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
    std::istringstream in(lines);
    std::ostringstream out;
    const JsonLinesLoop loop = cached_json_lines(model_, {.cache_spec = spec_of});
    Served served{.status = answer_json_lines(in, out, opened_, loop, {}, "")};
    std::istringstream answers(out.str());
    for (std::string line; std::getline(answers, line);) served.answers.push_back(parse_json(line, "answer"));
    return served;
  }

 private:
  OpenModel opened_;
  Transformer model_;
  std::string cache_dtype_;
};

// The cases that need nothing but the best token: drafts verify, they do not choose.
std::vector<Json> greedy_cases(const std::string& name) {
  const std::vector<std::string> drafts = {"prompt_lookup_num_tokens", "max_matching_ngram_size",
                                           "num_assistant_tokens"};
  const std::vector<std::string> greedy = {"max_new_tokens", "max_length", "eos_token_id", "pad_token_id"};
  std::ifstream file(data_path("generate/" + name));
  std::vector<Json> cases;
  for (std::string line; std::getline(file, line);) {
    Json fixture = parse_json(line, name);
    for (const std::string& field : drafts) fixture["generation_config"].erase(field);
    bool plain = true;
    for (const auto& [field, value] : fixture["generation_config"].items())
      plain = plain && std::ranges::count(greedy, field) > 0;
    if (plain) cases.push_back(std::move(fixture));
  }
  return cases;
}

void check_fixtures(const std::string& file, std::size_t expected_cases) {
  std::map<std::string, std::vector<Json>> by_model;
  for (Json& fixture : greedy_cases(file)) by_model[fixture["model"].get<std::string>()].push_back(fixture);
  std::size_t cases = 0;
  for (const auto& [model, bound_fixtures] : by_model) {
    const auto& fixtures = bound_fixtures;  // clang 14 cannot capture the binding itself
    Server server(model);
    for (const Json& chunk : {Json(), Json(1), Json(3), Json(64)}) {
      std::string lines;
      for (const Json& fixture : fixtures) {
        Json request = {{"input_ids", fixture["input_ids"]},
                        {"generation_config", fixture["generation_config"]},
                        {"cache", "dynamic"}};
        if (fixture.contains("attention_mask")) request["attention_mask"] = fixture["attention_mask"];
        request["generation_config"]["prefill_chunk_size"] = chunk;
        lines += request.dump() + "\n";
      }
      const Served served = server.serve(lines);
      CHECK(served.status == 0);
      REQUIRE(served.answers.size() == fixtures.size());
      for (std::size_t i = 0; i < fixtures.size(); ++i) {
        CAPTURE(fixtures[i]["name"].get<std::string>());
        CAPTURE(chunk.dump());
        CHECK(served.answers[i]["sequences"] == fixtures[i]["expected"]["sequences"]);
      }
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
  std::string lines;
  for (const auto& [request, word] : bad) lines += request + "\n" + ids + "}}\n";
  const Served served = server.serve(lines);
  CHECK(served.status == 1);
  REQUIRE(served.answers.size() == 2 * bad.size());
  for (std::size_t i = 0; i < bad.size(); ++i) {
    CAPTURE(bad[i].first);
    REQUIRE(served.answers[2 * i].contains("error"));
    const auto message = served.answers[2 * i]["error"].get<std::string>();
    CHECK_MESSAGE(message.find(bad[i].second) != std::string::npos, message);
    CHECK(served.answers[2 * i + 1]["sequences"][0].size() == 3);
  }
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
