#include "common/config/generation_config.h"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/config/generation_fields.h"
#include "common/config/model_config.h"
#include "common/io/json.h"
#include "tests/message_of.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

GenerationConfig config_of(const std::string& text) {
  const Json json = Json::parse(text);
  return generation_config_from_json(JsonReader(json, "request"));
}

std::string error_of(const std::string& text) {
  return message_of([&] { config_of(text); });
}

// Every field of the table, each with a value that is not its default.
const char* const kEverything = R"({"max_new_tokens": 7, "max_length": 90, "min_length": 3,
  "min_new_tokens": 2, "max_time": 1.5, "stop_strings": ["a", "\u00e9\n"], "do_sample": true,
  "num_beams": 4, "num_return_sequences": 2, "length_penalty": -0.5, "early_stopping": "never",
  "temperature": 0.7, "top_k": 20, "top_p": 0.8, "min_p": 0.05, "top_h": 0.4, "typical_p": 0.9,
  "epsilon_cutoff": 0.0003, "eta_cutoff": 0.002, "repetition_penalty": 1.1,
  "encoder_repetition_penalty": 0.9, "no_repeat_ngram_size": 3, "encoder_no_repeat_ngram_size": 2,
  "bad_words_ids": [[5], [7, 8]], "sequence_bias": [[[5], -2.5], [[6, 7], "-inf"]],
  "suppress_tokens": [1, 2], "begin_suppress_tokens": [3, 4], "forced_bos_token_id": 11,
  "forced_eos_token_id": [12, 13], "exponential_decay_length_penalty": [5, 1.25],
  "remove_invalid_values": true, "renormalize_logits": true, "guidance_scale": 1.5,
  "watermarking_config": {"greenlist_ratio": 0.5, "bias": 3.0, "hashing_key": 17,
                          "seeding_scheme": "selfhash", "context_width": 2},
  "eos_token_id": [2, 9], "pad_token_id": 0, "bos_token_id": 1, "use_cache": false,
  "cache_implementation": "static", "cache_config": {"nbits": 8, "q_group_size": 32, "residual_length": 5},
  "max_cache_len": 77, "prefill_chunk_size": 16, "num_assistant_tokens": 5,
  "num_assistant_tokens_schedule": "heuristic", "assistant_confidence_threshold": 0.25,
  "prompt_lookup_num_tokens": 10, "max_matching_ngram_size": 3, "assistant_early_exit": 2,
  "assistant_lookbehind": 4, "target_lookbehind": 6, "assistant_ensemble_weight": 0.5})";

TEST_CASE("every field goes in and comes out again") {
  const GenerationConfig config = config_of(kEverything);
  CHECK(Json::parse(to_json(config)) == Json::parse(kEverything));
  CHECK(config_of(to_json(config)) == config);
  for (const GenerationField& field : generation_fields()) {
    CAPTURE(field.name);
    CHECK(config.given.contains(field.name));
    CHECK_FALSE(is_neutral(config, field));
    CHECK(is_neutral(GenerationConfig{}, field));
  }
  CHECK(config.stop_strings[1] == "é\n");
  CHECK(config.sequence_bias[1].bias == -INFINITY);
  CHECK(config.early_stopping == EarlyStopping::kNever);
  CHECK(config.exponential_decay_length_penalty->start == 5);
}

TEST_CASE("null counts as not given; single values and lists are both fine where transformers takes both") {
  CHECK(config_of(R"({"temperature": null, "eos_token_id": null})") == GenerationConfig{});
  CHECK(config_of(R"({"eos_token_id": 5})").eos_token_id == std::vector<Token>{5});
  CHECK(config_of(R"({"stop_strings": "x"})").stop_strings == std::vector<std::string>{"x"});
  CHECK(config_of(R"({"early_stopping": true})").early_stopping == EarlyStopping::kTrue);
  CHECK(config_of(R"({"suppress_tokens": []})").suppress_tokens.empty());
  CHECK(config_of(R"({"temperature": 1})").given.contains("temperature"));
}

TEST_CASE("wrong values name field, value and range") {
  struct Case {
    std::string text;
    std::string message;
  };
  const Case cases[] = {
      {R"({"temperature": -0.1})", "request: temperature: got -0.1, expected a number of at least 0"},
      {R"({"temperature": "hot"})", "request: temperature: got \"hot\", expected a number of at least 0"},
      {R"({"top_p": 1.5})", "request: top_p: got 1.5, expected a number from 0 to 1"},
      {R"({"top_p": -0.5})", "request: top_p: got -0.5, expected a number from 0 to 1"},
      {R"({"typical_p": 0})", "request: typical_p: got 0, expected a number above 0 and at most 1"},
      {R"({"epsilon_cutoff": 1})",
       "request: epsilon_cutoff: got 1, expected a number of at least 0 and below 1"},
      {R"({"repetition_penalty": 0})", "request: repetition_penalty: got 0, expected a number above 0"},
      {R"({"assistant_ensemble_weight": 1})",
       "request: assistant_ensemble_weight: got 1, expected a number above 0 and below 1"},
      {R"({"top_k": -1})", "request: top_k: got -1, expected an integer from 0 to 2147483647"},
      {R"({"top_k": 2.5})", "request: top_k: got 2.5, expected an integer from 0 to 2147483647"},
      {R"({"max_new_tokens": 0})",
       "request: max_new_tokens: got 0, expected an integer from 1 to 2147483647"},
      {R"({"max_new_tokens": 99999999999})",
       "request: max_new_tokens: got 99999999999, expected an integer from 1 to 2147483647"},
      {R"({"num_beams": 0})", "request: num_beams: got 0, expected an integer from 1 to 4096"},
      {R"({"do_sample": 1})", "request: do_sample: got 1, expected true or false"},
      {R"({"early_stopping": "sometimes"})",
       "request: early_stopping: got \"sometimes\", expected true, false or \"never\""},
      {R"({"eos_token_id": [1, -2]})",
       "request: eos_token_id[1]: got -2, expected an integer from 0 to 2147483647"},
      {R"({"eos_token_id": "</s>"})",
       "request: eos_token_id: got \"</s>\", expected a token id or a list of them"},
      {R"({"bad_words_ids": []})",
       "request: bad_words_ids: got [], expected a list of at least one list of token ids"},
      {R"({"bad_words_ids": [[]]})", "request: bad_words_ids[0]: got [], expected at least one token id"},
      {R"({"bad_words_ids": [3]})", "request: bad_words_ids[0]: got 3, expected a list of token ids"},
      {R"({"sequence_bias": [[[1]]]})",
       "request: sequence_bias[0]: got an array, expected [token ids, bias]"},
      {R"({"sequence_bias": [[[1], "x"]]})",
       "request: sequence_bias[0][1]: got \"x\", expected a number or \"-inf\""},
      {R"({"exponential_decay_length_penalty": [1]})",
       "request: exponential_decay_length_penalty: got an array, expected [start, factor]"},
      {R"({"stop_strings": [""]})", "request: stop_strings: got an array, expected no empty text"},
      {R"({"cache_implementation": "paged"})",
       "request: cache_implementation: got \"paged\", expected one of dynamic, static, offloaded, "
       "offloaded_static, quantized, sliding_window"},
      {R"({"cache_config": {"nbits": 2}})", "request: cache_config.nbits: got 2, expected 4 or 8"},
      {R"({"watermarking_config": {"colour": 1}})",
       "request: watermarking_config.colour: unknown field; there are greenlist_ratio, bias, hashing_key, "
       "seeding_scheme, context_width"},
      {R"({"temprature": 0.7})", "request: unknown field 'temprature'; did you mean 'temperature'?"},
      {R"({"zzzzzzzz": 1})", "request: unknown field 'zzzzzzzz'"},
      {R"({"penalty_alpha": 0.6})", "request: penalty_alpha: transformers 5 has dropped contrastive search"},
      {"[1]", "request: got an array, expected an object"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    CHECK(error_of(one.text) == one.message);
  }
}

TEST_CASE("fields of transformers that ask for nothing are skipped") {
  CHECK(config_of(R"({"transformers_version": "5.23.0", "num_beam_groups": 1, "diversity_penalty": 0.0,
                      "return_dict_in_generate": true, "output_scores": false})") == GenerationConfig{});
}

TEST_CASE("merge: what the request gives wins, also where it gives a default") {
  const GenerationConfig base = config_of(R"({"temperature": 0.6, "top_k": 20, "eos_token_id": [1, 2]})");
  const GenerationConfig merged = merge(config_of(R"({"temperature": 1.0, "top_p": 0.5})"), base);
  CHECK(merged == config_of(R"({"temperature": 1.0, "top_k": 20, "top_p": 0.5, "eos_token_id": [1, 2]})"));
  CHECK(merge({}, base) == base);
  CHECK(merge(base, {}) == base);
}

TEST_CASE("a program refuses fields that it does not honour, unless they do nothing") {
  constexpr std::string_view kFields[] = {"max_new_tokens", "eos_token_id"};
  const auto message = [&](const std::string& text) {
    return message_of([&] { expect_honoured(config_of(text), kFields, "02_naive_loop", "line 3"); });
  };
  CHECK(message(R"({"max_new_tokens": 5, "top_k": 7})") ==
        "line 3: 02_naive_loop does not use 'top_k'; 07_sampling does");
  CHECK(message(R"({"num_beams": 2})") ==
        "line 3: 02_naive_loop does not use 'num_beams'; 09_beam_search does");
  CHECK(message(R"({"max_new_tokens": 5, "do_sample": false, "num_beams": 1, "temperature": 1.0, "top_k": 0,
                    "min_p": 0.0, "min_new_tokens": 0, "guidance_scale": 1.0})") == "no error");
  const GenerationConfig kept = keep_honoured(config_of(R"({"top_k": 7, "max_new_tokens": 5})"), kFields);
  CHECK(kept == config_of(R"({"max_new_tokens": 5})"));
}

TEST_CASE("fields from the command line") {
  GenerationConfig config;
  set_generation_field(config, "temperature", "0.7", "--temperature");
  set_generation_field(config, "eos_token_id", "2,5", "--eos-token-id");
  set_generation_field(config, "suppress_tokens", "[3]", "--suppress-tokens");
  set_generation_field(config, "do_sample", "true", "--do-sample");
  set_generation_field(config, "early_stopping", "never", "--early-stopping");
  set_generation_field(config, "bad_words_ids", "[[1,2],[3]]", "--bad-words-ids");
  set_generation_field(config, "stop_strings", "[\"x", "--stop-strings");
  set_generation_field(config, "stop_strings", "7", "--stop-strings");
  set_generation_field(config, "cache_implementation", "static", "--cache-implementation");
  CHECK(config == config_of(R"({"temperature": 0.7, "eos_token_id": [2, 5], "suppress_tokens": [3],
      "do_sample": true, "early_stopping": "never", "bad_words_ids": [[1, 2], [3]],
      "stop_strings": ["[\"x", "7"], "cache_implementation": "static"})"));
  const auto message = [](const char* name, const char* text) {
    return message_of([&] {
      GenerationConfig fresh;
      set_generation_field(fresh, name, text, "--flag");
    });
  };
  CHECK(message("temperature", "warm") == "--flag: got \"warm\", expected a number of at least 0");
  CHECK(message("temperature", "") == "--flag: got \"\", expected a number of at least 0");
  CHECK(message("top_k", "-3") == "--flag: got -3, expected an integer from 0 to 2147483647");
  CHECK(message("eos_token_id", "2,x") == "--flag: got \"2,x\", expected a token id or a list of them");
}

TEST_CASE("generation_config.json, or else the special tokens of config.json") {
  const ModelConfig model = model_config_from_json(
      R"({"model_type": "llama", "vocab_size": 50, "hidden_size": 8, "intermediate_size": 8,
          "num_hidden_layers": 1, "num_attention_heads": 2, "eos_token_id": [3, 4], "pad_token_id": 6})");
  const TempFolder folder;
  CHECK(load_generation_config(folder.path(), model) ==
        config_of(R"({"bos_token_id": 1, "eos_token_id": [3, 4], "pad_token_id": 6})"));
  const auto file = folder.write("generation_config.json", R"({"eos_token_id": 9, "pad_token_id": -1,
      "top_k": 20, "some_other_program": true, "penalty_alpha": 0.6, "_from_model_config": true})");
  CHECK(load_generation_config(folder.path(), model) == config_of(R"({"eos_token_id": 9, "top_k": 20})"));
  folder.write("generation_config.json", R"({"top_k": "many"})");
  CHECK(message_of([&] { load_generation_config(folder.path(), model); }) ==
        file.string() + ": top_k: got \"many\", expected an integer from 0 to 2147483647");
}

TEST_CASE("token ids beyond the vocabulary are found in every field") {
  const auto message = [](const std::string& text) {
    return message_of([&] { expect_ids_below(config_of(text), 10, "line 1"); });
  };
  CHECK(message(R"({"eos_token_id": [9, 0], "top_k": 1000, "bad_words_ids": [[9]]})") == "no error");
  CHECK(message(R"({"eos_token_id": [9, 10]})") ==
        "line 1: eos_token_id: got 10, expected token ids from 0 to 9 (vocab_size 10)");
  for (const char* text : {R"({"pad_token_id": 10})", R"({"bad_words_ids": [[1], [2, 10]]})",
                           R"({"sequence_bias": [[[10], 1.0]]})", R"({"suppress_tokens": [10]})"})
    CHECK(message(text).find("got 10, expected token ids from 0 to 9") != std::string::npos);
}

TEST_CASE("contradictions are errors, fields without effect are warnings") {
  const auto warnings = [](const std::string& text) { return check_combinations(config_of(text), "line 1"); };
  const auto message = [&](const std::string& text) { return message_of([&] { warnings(text); }); };
  CHECK(message(R"({"do_sample": true, "temperature": 0.0})") ==
        "line 1: temperature: got 0 with do_sample, expected a number above 0; for the best token every time "
        "set do_sample=false");
  CHECK(message(R"({"num_return_sequences": 2})").find("num_return_sequences: got 2, expected 1") !=
        std::string::npos);
  CHECK(message(R"({"num_beams": 2, "num_return_sequences": 3})") ==
        "line 1: num_return_sequences: got 3, expected at most num_beams (2)");
  CHECK(message(R"({"forced_bos_token_id": 3, "suppress_tokens": [3]})").find("suppress_tokens") !=
        std::string::npos);
  CHECK(message(R"({"forced_eos_token_id": [3, 4], "suppress_tokens": [3]})") == "no error");
  CHECK(warnings(R"({"temperature": 0.7, "top_k": 50, "length_penalty": 2.0})") ==
        std::vector<std::string>{"temperature 0.7 has no effect without do_sample=true",
                                 "length_penalty 2.0 has no effect without num_beams above 1"});
  CHECK(warnings(R"({"do_sample": true, "temperature": 0.7, "num_return_sequences": 3})").empty());
}

TEST_CASE("how long a result may become") {
  CHECK(max_total_tokens(config_of("{}"), 7) == 27);
  CHECK(max_total_tokens(config_of(R"({"max_new_tokens": 5})"), 7) == 12);
  CHECK(max_total_tokens(config_of(R"({"max_length": 9})"), 7) == 9);
  CHECK(max_total_tokens(config_of(R"({"max_length": 3, "max_new_tokens": 5})"), 7) == 12);
  CHECK(message_of([] { max_total_tokens(config_of(R"({"max_length": 7})"), 7); }) ==
        "max_length: got 7, expected more than the prompt's 7 tokens; set max_new_tokens instead");
}

}  // namespace
}  // namespace llm
