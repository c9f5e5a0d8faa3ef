// Texts: transformers' fixtures, engines, batches, seeds.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "chapters/07_sampling/processors.h"
#include "chapters/07_sampling/sampled_rows.h"
#include "chapters/07_sampling/sampling_json_lines.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/generate_fixtures.h"
#include "tests/message_of.h"

namespace llm::test {
namespace {

std::vector<Json> serve(const std::string& model_name, const std::vector<Json>& requests,
                        const SamplingDefaults& defaults = {}) {
  const OpenModel opened = open_model(model_path(model_name).string(), /*quiet=*/true);
  EngineSet engines(opened, {});
  const Served served = serve_lines(to_json_lines(requests), [&](std::istream& in, std::ostream& out) {
    return answer_json_lines(in, out, opened, sampling_json_lines(engines, defaults), {}, "");
  });
  REQUIRE(served.answers.size() == requests.size());
  return served.answers;
}

TEST_CASE("generation with processors gives transformers' tokens, with a cache and without") {
  const std::string file = std::string(LLM_SOURCE_DIR) + "/tests/07_sampling/data/generate.jsonl";
  std::size_t cases = 0;
  for (const auto& [model, fixtures] : by_model(read_json_lines(file))) {
    std::vector<Json> requests, asked;
    for (const Json& fixture : fixtures)
      for (const char* engine : {"cached", "naive"}) {
        requests.emplace_back(request_of(fixture))["engine"] = engine;
        asked.push_back(fixture);
      }
    check_sequences(serve(model, requests), asked);
    cases += asked.size();
  }
  CHECK(cases == 66);
}

Json sampling_request(const Json& fields, std::uint64_t seed = 5) {
  Json config = {{"do_sample", true}, {"max_new_tokens", 24}, {"top_k", 20}, {"temperature", 1.3}};
  if (!fields.is_null()) config.update(fields);  // {} is null
  return {{"input_ids", {{7, 8, 9, 10}}}, {"seed", seed}, {"generation_config", config}};
}

TEST_CASE("a seed gives the same text with every cache and engine, another seed another") {
  std::vector<Json> requests = {sampling_request({}), sampling_request({}), sampling_request({}, 6)};
  for (const char* cache : {"static", "offloaded"})
    requests.push_back(sampling_request({})), requests.back()["cache"] = cache;
  requests.push_back(sampling_request({{"use_cache", false}}));
  requests.push_back(sampling_request({{"prefill_chunk_size", 3}}));
  const std::vector<Json> answers = serve("tiny-llama", requests);
  for (const std::size_t same : {1u, 3u, 4u, 5u, 6u}) {
    CAPTURE(same);
    REQUIRE_MESSAGE(answers[same].contains("sequences"), answers[same].dump());
    CHECK(answers[same]["sequences"] == answers[0]["sequences"]);
  }
  CHECK(answers[2]["sequences"] != answers[0]["sequences"]);
}

TEST_CASE("num_return_sequences: rows that differ, the first as alone; a batch row is the row alone") {
  Json batch = sampling_request({});
  batch["input_ids"] = {{7, 8, 9, 10}, {0, 0, 11, 12}};
  batch["attention_mask"] = {{1, 1, 1, 1}, {0, 0, 1, 1}};
  const std::vector<Json> answers =
      serve("tiny-qwen3", {sampling_request({}), sampling_request({{"num_return_sequences", 3}}), batch});
  REQUIRE_MESSAGE(answers[1].contains("sequences"), answers[1].dump());
  CHECK(answers[1]["sequences"].size() == 3);
  CHECK(answers[1]["sequences"][0] == answers[0]["sequences"][0]);
  CHECK(answers[1]["sequences"][1] != answers[1]["sequences"][2]);
  CHECK(answers[2]["sequences"][0] == answers[0]["sequences"][0]);
  CHECK(answers[1]["finish_reason"] == Json{"length", "length", "length"});
}

TEST_CASE("guidance: a batch gives what its rows give alone; scale 1 changes nothing but the scale") {
  Json one = sampling_request({{"do_sample", false}, {"guidance_scale", 1.8}});
  one["generation_config"].erase("temperature"), one["generation_config"].erase("top_k");
  Json two = one, batch = one, naive = one, off = one;
  two["input_ids"] = {{30, 31, 32, 33}};
  batch["input_ids"] = {{7, 8, 9, 10}, {30, 31, 32, 33}};
  naive["engine"] = "naive";
  off["generation_config"]["guidance_scale"] = 1.0;
  const std::vector<Json> answers = serve("tiny-qwen3", {one, two, batch, naive, off});
  REQUIRE_MESSAGE(answers[2].contains("sequences"), answers[2].dump());
  CHECK(answers[2]["sequences"][0] == answers[0]["sequences"][0]);
  CHECK(answers[2]["sequences"][1] == answers[1]["sequences"][0]);
  CHECK(answers[3]["sequences"] == answers[0]["sequences"]);
  CHECK(answers[4]["sequences"] != answers[0]["sequences"]);
}

// Whatever negative prompt the fixture has.
Json guided_request(const Json& fixture) {
  Json request = request_of(fixture);
  for (const char* field : {"negative_prompt_ids", "negative_prompt_attention_mask"})
    if (fixture.contains(field)) request[field] = fixture[field];
  return request;
}

TEST_CASE("negative prompts give transformers' tokens, with every cache and without") {
  const std::string file = std::string(LLM_SOURCE_DIR) + "/tests/07_sampling/data/guidance.jsonl";
  std::size_t cases = 0;
  for (const auto& [model, fixtures] : by_model(read_json_lines(file))) {
    std::vector<Json> requests, asked;
    for (const Json& fixture : fixtures)
      for (const char* cache : {"dynamic", "static", ""}) {
        Json request = guided_request(fixture);
        std::string(cache).empty() ? request["engine"] = "naive" : request["cache"] = cache;
        requests.push_back(std::move(request));
        asked.push_back(fixture);
      }
    check_sequences(serve(model, requests), asked);
    cases += asked.size();
  }
  CHECK(cases == 48);
}

TEST_CASE("a negative prompt: as a text, one row for all, several texts a prompt") {
  Json alone = sampling_request({{"guidance_scale", 2.0}});
  alone["negative_prompt_ids"] = {{50, 51, 52}};
  Json batch = alone, text = alone, other = alone, returned = alone;
  batch["input_ids"] = {{7, 8, 9, 10}, {30, 31, 32, 33}};
  returned["generation_config"]["num_return_sequences"] = 2;
  other["negative_prompt_ids"] = {{60}};
  text.erase("negative_prompt_ids");
  Json ids = text;
  const OpenModel opened = open_model(model_path("tiny-qwen3").string(), /*quiet=*/true);
  text["negative_prompt"] = "The old teacher";
  ids["negative_prompt_ids"] = {encode_prompt(opened, "The old teacher")};
  const std::vector<Json> answers = serve("tiny-qwen3", {alone, batch, returned, other, text, ids});
  for (const Json& answer : answers) REQUIRE_MESSAGE(answer.contains("sequences"), answer.dump());
  CHECK(answers[1]["sequences"][0] == answers[0]["sequences"][0]);
  CHECK(answers[2]["sequences"][0] == answers[0]["sequences"][0]);
  CHECK(answers[3]["sequences"] != answers[0]["sequences"]);
  CHECK(answers[4]["sequences"] == answers[5]["sequences"]);
  CHECK(answers[4]["sequences"] != answers[0]["sequences"]);
}

TEST_CASE("requests that cannot be answered") {
  const auto error = [](const Json& fields, const char* engine = "cached") {
    Json request = sampling_request(fields);
    request["engine"] = engine;
    return serve("tiny-qwen3", {request})[0].value("error", "no error");
  };
  CHECK(error({{"temperature", 0}}).find("do_sample=false") != std::string::npos);
  CHECK(error({{"do_sample", false}, {"num_return_sequences", 2}}).find("num_return_sequences") !=
        std::string::npos);
  CHECK(error({{"top_p", 2}}).find("top_p") != std::string::npos);
  CHECK(error({{"num_beams", 2}}).find("09_beam_search") != std::string::npos);
  CHECK(error({}, "fusd").find("cached") != std::string::npos);
  Json all_ids = Json::array();
  for (int id = 0; id < 512; ++id) all_ids.push_back(id);
  CHECK(error({{"suppress_tokens", all_ids}}).find("suppress_tokens: row 0: every token is banned") !=
        std::string::npos);
}

// Logits that can draw by themselves, and say which way they were asked.
class DeviceLogits : public Logits {
 public:
  View<const float, 3> host() override { return {scores_.data(), {1, 1, std::ssize(scores_)}}; }
  std::vector<Token> argmax() override { return {0}; }
  bool has_sample() const override { return true; }
  std::vector<Token> sample(float temperature, Index top_k, float top_p,
                            std::span<const double> uniforms) override {
    asked = {temperature, static_cast<float>(top_k), top_p};
    numbers.insert(numbers.end(), uniforms.begin(), uniforms.end());
    return std::vector<Token>(uniforms.size(), 3);
  }
  std::vector<float> asked;
  std::vector<double> numbers;

 private:
  std::vector<float> scores_ = std::vector<float>(5, 1.0f);
};

class DeviceModel : public CausalLM {
 public:
  std::string_view name() const override { return "device"; }
  const ModelConfig& config() const override { return config_; }
  std::unique_ptr<Cache> make_cache(const CacheSpec&) const override { return nullptr; }
  Logits& forward(const Batch&, Cache*, const ForwardOptions&) override { return logits; }
  DeviceLogits logits;

 private:
  ModelConfig config_;
};

TEST_CASE("an engine that can draw by itself does, if there is nothing else to do") {
  GenerationConfig config;
  set_generation_field(config, "do_sample", "true", "test");
  set_generation_field(config, "temperature", "0.5", "test");
  set_generation_field(config, "top_k", "7", "test");
  const ProcessorContext context{.prompt_length = 2, .vocab_size = 5};
  const std::vector<std::vector<Token>> rows = {{1, 2}};
  const auto run = [&](DeviceModel& model) {
    const ChoiceRule rule{.processors = make_processors(config, context), .do_sample = true, .seed = 4};
    std::vector<TokenChooser> choosers;
    choosers.emplace_back(rule, rows[0], 0, 3);
    const auto plan = device_plan(config, rule.processors);
    const GreedyResult result = sampled_rows(model, nullptr, rows, choosers, 3, {}, {}, plan);
    CHECK(result.new_tokens[0].size() == 3);
    if (plan)
      for (Index i = 0; i < 3; ++i)
        CHECK(model.logits.numbers[static_cast<std::size_t>(i)] == sampling_uniform(rule, 2 + i));
  };
  DeviceModel device, host;
  run(device);
  CHECK(device.logits.asked == std::vector<float>{0.5f, 7, 1});
  set_generation_field(config, "min_p", "0.1", "test");
  run(host);
  CHECK(host.logits.asked.empty());
}

TEST_CASE("the table of engines") {
  CHECK(engines().size() >= 2);
  CHECK_FALSE(find_engine("naive").has_cache);
  CHECK(find_engine("cached").has_cache);
  CHECK(message_of([] { (void)find_engine("warp"); }).find("naive, cached") != std::string::npos);
  const OpenModel opened = open_model(model_path("tiny-qwen2").string(), /*quiet=*/true);
  for (const EngineKind& kind : engines()) {
    const auto model = kind.make(opened, {});
    CHECK(model->name() == kind.name);
  }
  CHECK(message_of([&] { (void)find_engine("naive").make(opened, {.compute = "fast"}); }).find("exact") !=
        std::string::npos);
}

}  // namespace
}  // namespace llm::test
