// The greedy fixtures of transformers, through the same function that answers 02_naive_loop --jsonl.
#include "chapters/02_naive_loop/json_lines.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/02_naive_loop/fixtures.h"

namespace llm::test {
namespace {

struct Served {
  std::vector<Json> answers = {};
  int status = 0;
};

Served serve(const std::string& model_name, const std::string& lines, const GenerationConfig& base = {}) {
  const OpenModel opened = open_model(model_path(model_name).string(), /*quiet=*/true);
  Transformer model(opened.config, opened.checkpoint);
  std::istringstream in(lines);
  std::ostringstream out;
  Served served{.status = answer_json_lines(in, out, opened, model, base, "")};
  std::istringstream answers(out.str());
  for (std::string line; std::getline(answers, line);) served.answers.push_back(parse_json(line, "answer"));
  return served;
}

std::vector<Json> read_lines(const std::string& name) {
  std::ifstream file(data_path("generate/" + name));
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(parse_json(line, name));
  return lines;
}

// The fields that decide nothing where the best token is taken: drafts verify, they do not choose.
Json greedy_request(const Json& fixture) {
  Json request = {{"input_ids", fixture["input_ids"]}, {"generation_config", fixture["generation_config"]}};
  if (fixture.contains("attention_mask")) request["attention_mask"] = fixture["attention_mask"];
  for (const char* name : {"prompt_lookup_num_tokens", "max_matching_ngram_size", "num_assistant_tokens"})
    request["generation_config"].erase(name);
  return request;
}

bool has_processors(const Json& fixture) {
  const std::vector<std::string> greedy = {"max_new_tokens", "max_length", "eos_token_id", "pad_token_id"};
  const Json request = greedy_request(fixture);
  for (const auto& [name, value] : request["generation_config"].items())
    if (std::ranges::count(greedy, name) == 0) return true;
  return false;
}

void check_fixtures(const std::string& file, std::size_t expected_cases) {
  std::map<std::string, std::vector<Json>> by_model;
  for (const Json& fixture : read_lines(file))
    if (!has_processors(fixture)) by_model[fixture["model"].get<std::string>()].push_back(fixture);
  std::size_t cases = 0;
  for (const auto& [model, bound_fixtures] : by_model) {
    const auto& fixtures = bound_fixtures;  // clang 14 cannot capture the binding itself
    std::string lines;
    for (const Json& fixture : fixtures) lines += greedy_request(fixture).dump() + "\n";
    const Served served = serve(model, lines);
    CHECK(served.status == 0);
    REQUIRE(served.answers.size() == fixtures.size());
    for (std::size_t i = 0; i < fixtures.size(); ++i) {
      CAPTURE(fixtures[i]["name"].get<std::string>());
      CHECK(served.answers[i]["sequences"] == fixtures[i]["expected"]["sequences"]);
      ++cases;
    }
  }
  CHECK(cases == expected_cases);
}

TEST_CASE("greedy.jsonl") { check_fixtures("greedy.jsonl", 18); }
TEST_CASE("batch.jsonl") { check_fixtures("batch.jsonl", 6); }
TEST_CASE("assisted.jsonl, without the drafts: the same tokens") { check_fixtures("assisted.jsonl", 6); }

TEST_CASE("an answer has text, finish reason and counts") {
  const Served served =
      serve("tiny-qwen3",
            "{\"input_ids\": [[318,5,307,333,41,474,238,316,126,88,32]], \"generation_config\": "
            "{\"max_new_tokens\": 30, \"eos_token_id\": 452, \"pad_token_id\": 509}}\n"
            "{\"input_ids\": [3, 4, 5], \"generation_config\": {\"max_new_tokens\": 4}}\n");
  REQUIRE(served.answers.size() == 2);
  const Json& first = served.answers[0];
  CHECK(first["finish_reason"] == Json{"eos"});
  CHECK(first["stats"]["new_tokens"] == 7);
  CHECK(first["stats"]["forwards"] == 7);  // none after the last token
  CHECK(first["stats"]["prompt_tokens"] == 11);
  CHECK(first["stats"]["positions"] == 11 + 12 + 13 + 14 + 15 + 16 + 17);
  CHECK(first["text"].size() == 1);
  const Json& second = served.answers[1];
  CHECK(second["finish_reason"] == Json{"length"});
  CHECK(second["sequences"][0].size() == 7);
}

TEST_CASE("a prompt is encoded with its special tokens, a conversation has exactly one BOS") {
  const Served served =
      serve("tiny-llama",
            "{\"prompt\": \"The old teacher counts\", \"generation_config\": {\"max_new_tokens\": 1}}\n"
            "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}], \"generation_config\": "
            "{\"max_new_tokens\": 1}}\n");
  REQUIRE(served.answers.size() == 2);
  REQUIRE_MESSAGE(served.status == 0, served.answers[1].dump());
  auto ids = served.answers[0]["sequences"][0].get<std::vector<Token>>();
  ids.pop_back();
  CHECK(ids == std::vector<Token>{1, 383, 405, 565, 370, 443, 419, 312, 598});
  ids = served.answers[1]["sequences"][0].get<std::vector<Token>>();
  ids.pop_back();
  CHECK(ids.size() > 3);
  CHECK(ids[0] == 1);
  CHECK(std::ranges::count(ids, 1) == 1);
}

TEST_CASE("the base is what a request leaves open") {
  GenerationConfig base;
  set_generation_field(base, "eos_token_id", "109", "test");
  const std::string request = "{\"input_ids\": [[504]]}\n";
  CHECK(serve("tiny-qwen2", request, base).answers[0]["sequences"] == Json{{504, 109}});
  CHECK(serve("tiny-qwen2", request).answers[0]["sequences"][0].size() == 21);  // 20 new ones by default
}

TEST_CASE("a batch may not run beyond the model's length: it ends there") {
  std::string ids = "1";
  for (int i = 0; i < 509; ++i) ids += ",7";
  const Served served = serve("tiny-qwen3", "{\"input_ids\": [[" + ids +
                                                "]], \"generation_config\": "
                                                "{\"max_new_tokens\": 50}}\n"
                                                "{\"input_ids\": [[" +
                                                ids + ",7,7,7]]}\n");
  REQUIRE(served.answers.size() == 2);
  CHECK(served.answers[0]["stats"]["new_tokens"] == 3);  // 510 + 3: the last one needs no position
  CHECK(served.answers[0]["finish_reason"] == Json{"length"});
  CHECK(served.answers[1]["error"].get<std::string>().find("512") != std::string::npos);
}

TEST_CASE("what this chapter cannot do is that line's error; the others are answered") {
  const std::string ids = "{\"input_ids\": [[5, 6]], \"generation_config\": {\"max_new_tokens\": 1";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {ids + ", \"stop_strings\": \"x\"}}", "stop_strings"},
      {ids + ", \"do_sample\": true}}", "do_sample"},
      {ids + ", \"num_beams\": 2}}", "num_beams"},
      {ids + ", \"repetition_penalty\": 1.2}}", "repetition_penalty"},
      {ids + ", \"no_such_field\": 1}}", "no_such_field"},
      {ids + ", \"eos_token_id\": 512}}", "eos_token_id"},
      {ids + "}, \"cache\": \"static\"}", "cache"},
      {ids + "}, \"assistant_model\": \"x\"}", "assistant_model"},
      {ids + "}, \"engine\": \"fused\"}", "engine"},
      {"{\"input_ids\": [[5, 512]]}", "512"},
      {"{\"input_ids\": [[5], [6, 7]]}", "input_ids"},
      {"{\"input_ids\": [[5, 6]], \"attention_mask\": [[1, 0]]}", "attention_mask"},
      {"{\"prompt\": \"\"}", "prompt"},
      {"{\"generation_config\": {}}", "input_ids"},
      {"{\"input_ids\": [[5, 6]], \"generation_config\": {\"max_length\": 2}}", "max_length"},
      {"no json", "line"}};
  std::string lines;
  for (const auto& [request, word] : bad) lines += request + "\n" + ids + "}}\n";
  const Served served = serve("tiny-qwen3", lines);
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

TEST_CASE("fields at the value that does nothing are fine") {
  const Served served =
      serve("tiny-qwen3",
            "{\"input_ids\": [[5, 6]], \"engine\": \"naive\", \"seed\": 3, \"attention_mask\": null, "
            "\"generation_config\": {\"max_new_tokens\": 1, \"do_sample\": false, \"num_beams\": 1, "
            "\"temperature\": 1.0, \"repetition_penalty\": 1.0, \"stop_strings\": null, "
            "\"use_cache\": true}}\n");
  CHECK_MESSAGE(served.status == 0, served.answers[0].dump());
}

}  // namespace
}  // namespace llm::test
