#include "common/cli/generate_request.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "common/base/error.h"

namespace llm {
namespace {

constexpr std::string_view kRequestFields[] = {"input_ids",
                                               "prompt",
                                               "messages",
                                               "attention_mask",
                                               "engine",
                                               "generation_config",
                                               "cache",
                                               "seed",
                                               "offload",
                                               "negative_prompt",
                                               "negative_prompt_ids",
                                               "negative_prompt_attention_mask"};
constexpr std::string_view kGenerationFields[] = {"max_new_tokens", "eos_token_id", "pad_token_id"};
const GenerateProgram kProgram = {.name = "03_kv_cache",
                                  .request_fields = kRequestFields,
                                  .generation_fields = kGenerationFields,
                                  .engines = {"naive", "cached"},
                                  .caches = {"dynamic", "offloaded"}};

// Calls check with the request that the text makes; returns the error or nothing.
template <class F>
std::string with_request(const std::string& text, F check) {
  const Json json = Json::parse(text);
  try {
    check(read_generate_request(JsonReader(json, "line 3"), kProgram, 100));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
std::string error_of(const std::string& text) {
  return with_request(text, [](const GenerateRequest&) {});
}

TEST_CASE("a request with everything") {
  CHECK(
      with_request(R"({"input_ids": [[7, 1], [2, 3]], "attention_mask": [[0, 1], [1, 1]], "seed": 17,
                         "generation_config": {"max_new_tokens": 4}, "engine": "cached",
                         "cache": "offloaded"})",
                   [](const GenerateRequest& request) {
                     CHECK(request.input_ids == std::vector<std::vector<Token>>{{7, 1}, {2, 3}});
                     CHECK(request.attention_mask == std::vector<std::vector<std::uint8_t>>{{0, 1}, {1, 1}});
                     CHECK(request.generation_config.max_new_tokens == 4);
                     CHECK(request.engine == "cached");
                     CHECK(request.cache == "dynamic");
                     CHECK(request.offload);
                     CHECK(request.seed == 17);
                     CHECK_FALSE(request.prompt.has_value());
                   })
          .empty());
  CHECK(with_request(R"({"prompt": "Once"})", [](const GenerateRequest& request) {
          CHECK(request.prompt == "Once");
          CHECK(request.input_ids.empty());
          CHECK_FALSE(request.seed.has_value());
        }).empty());
  CHECK(with_request(R"({"messages": [{"role": "user", "content": "hi"}]})",
                     [](const GenerateRequest& request) {
                       CHECK(request.messages->at(Index{0}).at("content").string() == "hi");
                     })
            .empty());
}

TEST_CASE("requests that cannot be answered say why") {
  CHECK(error_of("{}") ==
        "line 3: got none of input_ids, prompt and messages, expected exactly one of input_ids, prompt and "
        "messages");
  CHECK(error_of(R"({"prompt": "a", "input_ids": [[1]]})").find("several inputs") != std::string::npos);
  CHECK(error_of(R"({"prompt": ""})") == "line 3: prompt: got \"\", expected a text that is not empty");
  CHECK(error_of(R"({"messages": []})") ==
        "line 3: messages: got [], expected a list of at least one message");
  CHECK(error_of(R"({"messages": [{"content": "x"}]})") == "line 3: messages[0]: 'role' is missing");
  CHECK(error_of(R"({"prompt": "a", "attention_mask": [[1]]})") ==
        "line 3: attention_mask: it goes with input_ids only");
  CHECK(error_of(R"({"input_ids": [[100]]})") ==
        "line 3: input_ids[0][0]: got 100, expected an integer from 0 to 99");
  CHECK(error_of(R"({"input_ids": [[1]], "promt": "x"})") ==
        "line 3: unknown field 'promt'; did you mean 'prompt'?");
  CHECK(error_of(R"({"input_ids": [[1]], "assistant_model": "x"})") ==
        "line 3: 03_kv_cache does not use 'assistant_model'; 11_generate does");
  CHECK(error_of(R"({"input_ids": [[1]], "engine": "cuda"})") ==
        "line 3: engine: 03_kv_cache does not have 'cuda', expected naive, cached");
  CHECK(error_of(R"({"input_ids": [[1]], "generation_config": {"top_p": 0.5}})") ==
        "line 3: generation_config: 03_kv_cache does not use 'top_p'; 07_sampling does");
  CHECK(error_of(R"({"input_ids": [[1]], "generation_config": {"top_p": 1.5}})") ==
        "line 3: generation_config.top_p: got 1.5, expected a number from 0 to 1");
  CHECK(error_of(R"({"input_ids": [[1]], "generation_config": {"eos_token_id": 100}})") ==
        "line 3: generation_config: eos_token_id: got 100, expected token ids from 0 to 99 (vocab_size 100)");
  CHECK(
      error_of(R"({"input_ids": [[1]], "generation_config": {"num_beams": 1, "do_sample": false}})").empty());
}

TEST_CASE("negative prompts: a text, or ids without their padding") {
  CHECK(with_request(R"({"input_ids": [[1], [2]], "negative_prompt_ids": [[5, 6], [7]]})",
                     [](const GenerateRequest& request) {
                       CHECK(request.negative_prompt_ids == std::vector<std::vector<Token>>{{5, 6}, {7}});
                     })
            .empty());
  CHECK(with_request(R"({"prompt": "a", "negative_prompt_ids": [[0, 0, 7]],
                         "negative_prompt_attention_mask": [[0, 0, 1]]})",
                     [](const GenerateRequest& request) {
                       CHECK(request.negative_prompt_ids == std::vector<std::vector<Token>>{{7}});
                     })
            .empty());
  CHECK(with_request(R"({"prompt": "a", "negative_prompt": "b"})", [](const GenerateRequest& request) {
          CHECK(request.negative_prompt == "b");
        }).empty());
  CHECK(error_of(R"({"prompt": "a", "negative_prompt": ""})").find("not empty") != std::string::npos);
  CHECK(error_of(R"({"prompt": "a", "negative_prompt": "b", "negative_prompt_ids": [[1]]})") ==
        "line 3: negative_prompt_ids: there is a negative_prompt too");
  CHECK(error_of(R"({"prompt": "a", "negative_prompt_attention_mask": [[1]]})") ==
        "line 3: negative_prompt_attention_mask: it goes with negative_prompt_ids only");
  CHECK(error_of(R"({"input_ids": [[1], [2], [3]], "negative_prompt_ids": [[1], [2]]})") ==
        "line 3: negative_prompt_ids: got 2 rows, expected one for all, or one for each of 3");
  CHECK(error_of(R"({"prompt": "a", "negative_prompt_ids": [[100]]})").find("0 to 99") != std::string::npos);
  CHECK(error_of(R"({"prompt": "a", "negative_prompt_ids": [[]]})").find("at least one") !=
        std::string::npos);
}

TEST_CASE("padding is inferred from pad_token_id as transformers does") {
  GenerationConfig config;
  config.pad_token_id = 0;
  using Ids = std::vector<std::vector<Token>>;
  using Mask = std::vector<std::vector<std::uint8_t>>;
  CHECK(infer_attention_mask(Ids{{0, 0, 5}, {1, 2, 3}}, config) == Mask{{0, 0, 1}, {1, 1, 1}});
  CHECK(infer_attention_mask(Ids{{4, 5}}, config).empty());
  CHECK_THROWS_AS(infer_attention_mask(Ids{{4, 0, 5}}, config), Error);
  config.eos_token_id = {3, 0};
  CHECK(infer_attention_mask(Ids{{0, 0, 5}}, config).empty());
  CHECK(infer_attention_mask(Ids{{0, 0, 5}}, GenerationConfig{}).empty());
}

TEST_CASE("an answer") {
  JsonWriter json;
  write_generate_answer({.sequences = {{1, 2}, {1, 3}},
                         .text = {"a", "b"},
                         .finish_reason = {"eos", "length"},
                         .sequences_scores = {-0.1F, -2.0F},
                         .stats = {{"new_tokens", 2.0}, {"decode_s", 0.25}}},
                        json);
  CHECK(json.text() ==
        R"({"sequences": [[1, 2], [1, 3]], "text": ["a", "b"], "finish_reason": ["eos", "length"], )"
        R"("sequences_scores": [-0.1, -2.0], "stats": {"new_tokens": 2, "decode_s": 0.25}})");
}

}  // namespace
}  // namespace llm
