#include "tests/02_naive_loop/generate_fixtures.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/02_naive_loop/fixtures.h"

namespace llm::test {

std::vector<Json> greedy_fixtures(const std::string& name) {
  const std::vector<std::string> drafts = {"prompt_lookup_num_tokens", "max_matching_ngram_size",
                                           "num_assistant_tokens"};
  const std::vector<std::string> greedy = {"max_new_tokens", "max_length", "eos_token_id", "pad_token_id"};
  std::vector<Json> fixtures;
  for (Json& fixture : read_json_lines(data_path("generate/" + name))) {
    for (const std::string& field : drafts) fixture["generation_config"].erase(field);
    bool plain = true;
    for (const auto& [field, value] : fixture["generation_config"].items())
      plain = plain && std::ranges::count(greedy, field) > 0;
    if (plain) fixtures.push_back(std::move(fixture));
  }
  return fixtures;
}

std::map<std::string, std::vector<Json>> by_model(const std::vector<Json>& fixtures) {
  std::map<std::string, std::vector<Json>> result;
  for (const Json& fixture : fixtures) result[fixture["model"].get<std::string>()].push_back(fixture);
  return result;
}

Json request_of(const Json& fixture) {
  Json request = {{"input_ids", fixture["input_ids"]}, {"generation_config", fixture["generation_config"]}};
  if (fixture.contains("attention_mask")) request["attention_mask"] = fixture["attention_mask"];
  return request;
}

void check_sequences(const std::vector<Json>& answers, const std::vector<Json>& fixtures) {
  REQUIRE(answers.size() == fixtures.size());
  for (std::size_t i = 0; i < fixtures.size(); ++i) {
    CAPTURE(fixtures[i]["name"].get<std::string>());
    REQUIRE_MESSAGE(answers[i].contains("sequences"), answers[i].dump());
    CHECK(answers[i]["sequences"] == fixtures[i]["expected"]["sequences"]);
  }
}

void check_refusals(const std::function<Served(const std::string&)>& serve,
                    const std::vector<std::pair<std::string, std::string>>& bad, const std::string& good,
                    std::size_t length) {
  std::string lines;
  for (const auto& [request, words] : bad) lines += request + "\n" + good + "\n";
  const Served served = serve(lines);
  CHECK(served.status == 1);
  REQUIRE(served.answers.size() == 2 * bad.size());
  for (std::size_t i = 0; i < bad.size(); ++i) {
    CAPTURE(bad[i].first);
    REQUIRE(served.answers[2 * i].contains("error"));
    const auto message = served.answers[2 * i]["error"].get<std::string>();
    CHECK_MESSAGE(message.find(bad[i].second) != std::string::npos, message);
    CHECK(served.answers[2 * i + 1]["sequences"][0].size() == length);
  }
}

}  // namespace llm::test
