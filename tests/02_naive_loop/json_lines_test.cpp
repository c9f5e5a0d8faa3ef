// The greedy fixtures of transformers, through the same function that answers 02_naive_loop --jsonl.
#include "chapters/02_naive_loop/json_lines.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/generate_fixtures.h"

namespace llm::test {
namespace {

Served serve(const std::string& model_name, const std::string& lines, const GenerationConfig& base = {}) {
  const OpenModel opened = open_model(model_path(model_name).string(), /*quiet=*/true);
  Transformer model(opened.config, opened.checkpoint);
  return serve_lines(lines, [&](std::istream& in, std::ostream& out) {
    return answer_json_lines(in, out, opened, model, base, "");
  });
}

void check_fixtures(const std::string& file, std::size_t expected_cases) {
  std::size_t cases = 0;
  for (const auto& [model, fixtures] : by_model(greedy_fixtures(file))) {
    std::vector<Json> requests;
    for (const Json& fixture : fixtures) requests.push_back(request_of(fixture));
    const Served served = serve(model, to_json_lines(requests));
    CHECK(served.status == 0);
    check_sequences(served.answers, fixtures);
    cases += fixtures.size();
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
  check_refusals([](const std::string& lines) { return serve("tiny-qwen3", lines); }, bad, ids + "}}", 3);
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
