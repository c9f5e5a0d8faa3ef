// Every processor against transformers' values, through the function that answers lines about scores.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "chapters/07_sampling/score_lines.h"
#include "chapters/07_sampling/watermark_detector.h"
#include "tests/07_sampling/score_answer.h"
#include "tests/json_lines.h"

namespace llm {
namespace {

std::vector<Json> read_lines(const std::string& name) {
  return read_json_lines(std::string(LLM_SOURCE_DIR) + "/tests/07_sampling/data/" + name);
}

Json answer_to(const Json& fixture) {
  Json request = Json::object();
  for (const std::string_view field : score_line_fields())
    if (fixture.contains(field)) request[std::string(field)] = fixture[std::string(field)];
  return score_answer(request.dump());
}

double number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  return value == "-inf" ? -INFINITY : value == "inf" ? INFINITY : NAN;
}

std::vector<double> numbers(const Json& row, bool sorted) {
  std::vector<double> result;
  for (const Json& value : row) result.push_back(number(value));
  if (sorted) std::ranges::sort(result);
  return result;
}

void check_rows(const Json& got, const Json& expected, bool sorted) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t b = 0; b < got.size(); ++b) {
    const auto g = numbers(got[b], sorted), e = numbers(expected[b], sorted);
    REQUIRE(g.size() == e.size());
    for (std::size_t v = 0; v < g.size(); ++v) {
      CAPTURE(b);
      CAPTURE(v);
      const bool equal = g[v] == e[v] || std::abs(g[v] - e[v]) <= 1e-4 * std::max(1.0, std::abs(e[v]));
      CHECK_MESSAGE(equal, g[v], " instead of ", e[v]);
    }
  }
}

std::size_t check_file(const std::string& name) {
  std::size_t cases = 0;
  for (const Json& fixture : read_lines(name)) {
    if (!fixture.contains("scores")) continue;
    CAPTURE(fixture["name"].get<std::string>());
    const Json answer = answer_to(fixture);
    REQUIRE_MESSAGE(answer.contains("scores"), answer.dump());
    // Which of several equal scores stay depends on transformers' sort.
    check_rows(answer["scores"], fixture["expected"], fixture.value("tie_order", false));
    ++cases;
  }
  return cases;
}

TEST_CASE("processors one by one and in combinations") { CHECK(check_file("single.jsonl") == 96); }
TEST_CASE("processors that a generation config asks for") { CHECK(check_file("config.jsonl") == 13); }
TEST_CASE("the prompt's own processors, guidance, watermarks") { CHECK(check_file("goldens.jsonl") == 13); }

TEST_CASE("the watermark detector") {
  std::size_t cases = 0;
  for (const Json& fixture : read_lines("goldens.jsonl")) {
    if (!fixture.contains("detect")) continue;
    CAPTURE(fixture["name"].get<std::string>());
    WatermarkingConfig config;
    const Json& given = fixture["detect"];
    config.greenlist_ratio = given.value("greenlist_ratio", config.greenlist_ratio);
    config.seeding_scheme = given.value("seeding_scheme", config.seeding_scheme);
    config.context_width = given.value("context_width", config.context_width);
    const WatermarkDetector detector(config, 61, Token{1}, fixture["ignore_repeated_ngrams"].get<bool>());
    const WatermarkDetection found = detector(fixture["ids"].get<std::vector<Token>>());
    CHECK(found.num_tokens_scored == fixture["num_tokens_scored"]);
    CHECK(found.num_green_tokens == fixture["num_green_tokens"]);
    CHECK(found.z_score == doctest::Approx(fixture["z_score"].get<double>()).epsilon(1e-9));
    CHECK(found.p_value == doctest::Approx(fixture["p_value"].get<double>()).epsilon(1e-6));
    CHECK(found.confidence == doctest::Approx(1 - found.p_value));
    CHECK(found.prediction == (found.z_score > 3));
    ++cases;
  }
  CHECK(cases == 6);
}

TEST_CASE("neither config nor processors: the scores as they were, and a row of ids without outer brackets") {
  const Json answer = answer_to({{"input_ids", {0, 1}}, {"scores", {{1.5, "-inf", 0.25}}}});
  CHECK(answer["scores"] == Json::parse(R"([[1.5, "-inf", 0.25]])"));
}

TEST_CASE("the mask may be that of the prompt only") {
  const Json fixture = {{"input_ids", {{0, 1, 2}}},
                        {"scores", {{1.0, 1.0, 1.0}}},
                        {"prompt_length", 2},
                        {"attention_mask", {{0, 1}}},
                        {"generation_config", {{"repetition_penalty", 2.0}}}};
  CHECK(answer_to(fixture)["scores"] == Json::parse("[[1.0, 0.5, 0.5]]"));
}

TEST_CASE("with a config, processors are custom ones: in the place of their class, or before the filters") {
  const Json scores = {{4.0, 2.0, 1.0, 0.5}};
  const auto run = [&](const Json& config, const Json& processors) {
    return answer_to({{"input_ids", {{0}}},
                      {"scores", scores},
                      {"generation_config", config},
                      {"processors", processors}})["scores"];
  };
  const Json penalty = {{{"name", "repetition_penalty"}, {"value", 4.0}}};
  CHECK(run({{"repetition_penalty", 2.0}}, penalty) == Json::parse("[[1.0, 2.0, 1.0, 0.5]]"));
  CHECK(run({{"do_sample", true}, {"temperature", 0.5}, {"top_k", 0}},
            {{{"name", "temperature"}, {"value", 0.25}}}) == Json::parse("[[32.0, 16.0, 8.0, 4.0]]"));
}

}  // namespace
}  // namespace llm
