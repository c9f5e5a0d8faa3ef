#include "common/cli/generate_request.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/cli/jsonl.h"

namespace llm {
namespace {

constexpr std::array<std::string_view, 13> kFields = {"input_ids",
                                                      "prompt",
                                                      "messages",
                                                      "attention_mask",
                                                      "negative_prompt",
                                                      "negative_prompt_ids",
                                                      "negative_prompt_attention_mask",
                                                      "generation_config",
                                                      "assistant_model",
                                                      "engine",
                                                      "cache",
                                                      "offload",
                                                      "seed"};

bool has(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::count(names, name) > 0;
}

std::string read_prompt(const JsonReader& prompt) {
  if (prompt.string().empty()) prompt.fail_expected("a text that is not empty");
  return prompt.string();
}

void read_input(const JsonReader& json, Index vocab_size, GenerateRequest& request) {
  int inputs = 0;
  for (const char* name : {"input_ids", "prompt", "messages"}) inputs += json.has(name) ? 1 : 0;
  if (inputs != 1)
    fail(ErrorCode::kUsage, {.where = json.place(),
                             .what = "got",
                             .got = inputs == 0 ? "none of input_ids, prompt and messages" : "several inputs",
                             .expected = "exactly one of input_ids, prompt and messages"});
  if (const auto ids = json.find("input_ids")) request.input_ids = read_input_ids(*ids, vocab_size);
  if (const auto prompt = json.find("prompt")) request.prompt = read_prompt(*prompt);
  if (const auto messages = json.find("messages")) {
    if (!messages->is_array() || messages->size() == 0)
      messages->fail_expected("a list of at least one message");
    for (Index i = 0; i < messages->size(); ++i) {
      messages->at(i).expect_object();
      messages->at(i).at("role").string();
    }
    request.messages = messages;
  }
  if (const auto mask = json.find("attention_mask")) {
    if (request.input_ids.empty()) mask->fail_here("it goes with input_ids only");
    request.attention_mask = read_attention_mask(*mask, request.input_ids);
  }
}

// What guidance leads away from: transformers' negative_prompt_ids with their mask, or a text.
void read_negative_prompt(const JsonReader& json, Index vocab_size, GenerateRequest& request) {
  if (const auto prompt = json.find("negative_prompt")) request.negative_prompt = read_prompt(*prompt);
  const auto mask = json.find("negative_prompt_attention_mask"), ids = json.find("negative_prompt_ids");
  if (mask && !ids) mask->fail_here("it goes with negative_prompt_ids only");
  if (!ids) return;
  if (request.negative_prompt) ids->fail_here("there is a negative_prompt too");
  auto& rows = request.negative_prompt_ids = read_token_rows(*ids, vocab_size);
  const std::size_t prompts = std::max<std::size_t>(request.input_ids.size(), 1);
  if (rows.size() != 1 && rows.size() != prompts)
    fail(ErrorCode::kShape, {.where = ids->place(),
                             .what = "got",
                             .got = std::to_string(rows.size()) + " rows",
                             .expected = "one for all, or one for each of " + std::to_string(prompts)});
  if (!mask) return;
  const auto bits = read_attention_mask(*mask, rows);
  for (std::size_t r = 0; r < rows.size(); ++r)
    rows[r].erase(rows[r].begin(), rows[r].begin() + std::ranges::count(bits[r], 0));
}

// A name that the program knows.
std::string read_choice(const JsonReader& value, const GenerateProgram& program,
                        std::span<const std::string_view> names) {
  if (has(names, value.string())) return value.string();
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  fail(ErrorCode::kUnsupported, {.where = value.place(),
                                 .what = program.name + " does not have",
                                 .got = "'" + value.string() + "'",
                                 .expected = list});
}

}  // namespace

std::span<const std::string_view> generate_request_fields() { return kFields; }

GenerateRequest read_generate_request(const JsonReader& json, const GenerateProgram& program,
                                      Index vocab_size) {
  json.expect_object();
  for (const auto& [name, value] : json.json().items())
    if (has(kFields, name) && !has(program.request_fields, name) && !value.is_null())
      fail(ErrorCode::kUnsupported, {.where = json.place(),
                                     .what = program.name + " does not use '" + name + "'",
                                     .remedy = "11_generate does"});
  expect_fields(json, kFields);

  GenerateRequest request;
  read_input(json, vocab_size, request);
  read_negative_prompt(json, vocab_size, request);
  if (const auto config = json.find("generation_config")) {
    request.generation_config = generation_config_from_json(*config);
    expect_honoured(request.generation_config, program.generation_fields, program.name, config->place());
    expect_ids_below(request.generation_config, vocab_size, config->place());
  }
  if (const auto model = json.find("assistant_model")) request.assistant_model = model->string();
  if (const auto engine = json.find("engine"))
    request.engine = read_choice(*engine, program, program.engines);
  if (const auto cache = json.find("cache")) request.cache = read_choice(*cache, program, program.caches);
  request.offload = json.boolean_or("offload", false);
  if (request.cache == "offloaded") {
    request.cache = "dynamic";
    request.offload = true;
  }
  if (const auto seed = json.find("seed")) request.seed = static_cast<std::uint64_t>(seed->integer(0));
  return request;
}

std::vector<std::vector<std::uint8_t>> infer_attention_mask(std::span<const std::vector<Token>> input_ids,
                                                            const GenerationConfig& config) {
  const auto pad = config.pad_token_id;
  if (!pad || std::ranges::count(config.eos_token_id, *pad)) return {};
  std::vector<std::vector<std::uint8_t>> mask;
  bool padded = false;
  for (const std::vector<Token>& row : input_ids) {
    std::vector<std::uint8_t>& bits = mask.emplace_back();
    for (const Token id : row) bits.push_back(id == *pad ? 0 : 1);
    if (bits.empty() || bits.back() == 0 || !std::ranges::is_sorted(bits))
      fail(ErrorCode::kUnsupported,
           {.where = "input_ids[" + std::to_string(mask.size() - 1) + "]",
            .what = "pad_token_id " + std::to_string(*pad) + " inside or on the right",
            .expected = "padding on the left only",
            .remedy = "give an attention_mask"});
    padded = padded || bits.front() == 0;
  }
  return padded ? mask : std::vector<std::vector<std::uint8_t>>{};
}

void write_generate_answer(const GenerateAnswer& answer, JsonWriter& json) {
  json.begin_object();
  json.field("sequences", answer.sequences);
  json.field("text", answer.text);
  json.field("finish_reason", answer.finish_reason);
  if (!answer.sequences_scores.empty()) json.field("sequences_scores", answer.sequences_scores);
  json.key("stats").begin_object();
  for (const auto& [name, value] : answer.stats) {
    const bool count = value == std::floor(value) && std::abs(value) < 1e15;
    count ? json.field(name, static_cast<Index>(value)) : json.field(name, value);
  }
  json.end_object().end_object();
}

}  // namespace llm
