// Requests about scores that make no sense: the message names the field and its range.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/07_sampling/score_answer.h"

namespace llm {
namespace {

// Sound apart from what follows.
std::string with_config(const std::string& config) {
  return R"({"input_ids": [[0, 1]], "scores": [[1.0, 2.0, 0.5]], "generation_config": {)" + config + "}}";
}
std::string with_processor(const std::string& entry) {
  return R"({"input_ids": [[0, 1]], "scores": [[1.0, 2.0, 0.5]], "processors": [{)" + entry + "}]}";
}

void check_error(const std::string& line, const std::vector<std::string>& words) {
  CAPTURE(line);
  const Json answer = score_answer(line);
  REQUIRE_MESSAGE(answer.contains("error"), answer.dump());
  for (const std::string& word : words)
    CHECK_MESSAGE(answer["error"].get<std::string>().find(word) != std::string::npos, answer.dump());
}

TEST_CASE("values outside the range of their field, in a config and by name") {
  const std::vector<std::vector<std::string>> bad = {
      {"temperature", "-1", "at least 0"},
      {"top_k", "-1", "0"},
      {"top_p", "1.5", "from 0 to 1"},
      {"top_p", "-0.1", "from 0 to 1"},
      {"min_p", "1.01", "from 0 to 1"},
      {"typical_p", "0", "above 0"},
      {"typical_p", "1.5", "at most 1"},
      {"epsilon_cutoff", "1", "below 1"},
      {"eta_cutoff", "-0.5", "at least 0"},
      {"top_h", "0", "above 0"},
      {"top_h", "1.1", "at most 1"},
      {"repetition_penalty", "0", "above 0"},
      {"encoder_repetition_penalty", "-2", "above 0"},
      {"no_repeat_ngram_size", "-1", "0"},
      {"encoder_no_repeat_ngram_size", "1.5", "integer"},
      {"bad_words_ids", "[]", "at least one"},
      {"bad_words_ids", "[[]]", "at least one"},
      {"bad_words_ids", "[[-1]]", "0"},
      {"sequence_bias", "[[[0]]]", "[token ids, bias]"},
      {"sequence_bias", "[[[0], \"x\"]]", "number"},
      {"suppress_tokens", "[3]", "0 to 2"},
      {"suppress_tokens", "\"a\"", "token id"},
      {"watermarking_config", "{\"greenlist_ratio\": 2}", "above 0 and below 1"},
      {"watermarking_config", "{\"greenlist_ratio\": 0}", "above 0 and below 1"},
      {"watermarking_config", "{\"greenlist_ratio\": 1.0}", "above 0 and below 1"},
      {"watermarking_config", "{\"seeding_scheme\": \"x\"}", "lefthash"},
      {"watermarking_config", "{\"context_width\": 0}", "1"},
      {"remove_invalid_values", "1", "true or false"},
      {"top_p", "\"nan\"", "number"},
      {"temperature", "\"hot\"", "number"}};
  for (const std::vector<std::string>& c : bad) {
    check_error(with_config("\"do_sample\": true, \"" + c[0] + "\": " + c[1]), {"line 1", c[0], c[2]});
    check_error(with_processor("\"name\": \"" + c[0] + "\", \"value\": " + c[1]), {"line 1", c[0], c[2]});
  }
}

TEST_CASE("what contradicts itself or is unknown in a config") {
  check_error(with_config(R"("do_sample": true, "temperature": 0)"), {"temperature", "do_sample=false"});
  check_error(with_config(R"("topk": 3)"), {"topk", "did you mean 'top_k'"});
  check_error(with_config(R"("forced_bos_token_id": 1, "suppress_tokens": [1])"), {"suppress_tokens"});
  check_error(with_config(R"("num_return_sequences": 2)"), {"num_return_sequences", "do_sample=true"});
  check_error(with_config(R"("guidance_scale": 2)"), {"guidance_scale", "model"});
  check_error(with_config(R"("stop_strings": "x")"), {"stop_strings", "08_streaming"});
  check_error(with_config(R"("forced_eos_token_id": 1, "max_length": 2)"), {"max_length", "more than"});
}

TEST_CASE("named processors: unknown, incomplete, without effect") {
  check_error(with_processor(R"("name": "topp", "value": 1)"), {"topp", "did you mean 'top_p'"});
  check_error(with_processor(R"("name": "magic", "value": 1)"), {"unknown processor 'magic'"});
  check_error(with_processor(R"("value": 1)"), {"name"});
  check_error(with_processor(R"("name": "top_p")"), {"value"});
  check_error(with_processor(R"("name": "top_k", "value": 0)"), {"top_k", "0"});
  check_error(with_processor(R"("name": "temperature", "value": 0)"),
              {"temperature", "above 0", "do_sample"});
  check_error(with_processor(R"("name": "top_k", "value": 2, "eos_token_id": 1)"), {"eos_token_id"});
  check_error(with_processor(R"("name": "top_k", "value": 2, "min_tokens_to_keep": 0)"),
              {"min_tokens_to_keep", "1"});
  check_error(with_processor(R"("name": "min_length", "value": 2)"), {"eos_token_id"});
  check_error(with_processor(R"("name": "min_length", "value": 2, "eos_token_id": 3)"),
              {"eos_token_id", "0 to 2"});
  check_error(with_processor(R"("name": "forced_eos_token_id", "value": 2)"), {"max_length"});
  check_error(
      with_processor(R"("name": "repetition_penalty", "value": 2.0, "prompt_ignore_length": [1, 2]))"),
      {"line 1"});
  check_error(with_processor(R"("name": "repetition_penalty", "value": 2.0, "prompt_ignore_length": [1, 2])"),
              {"prompt_ignore_length", "1 row"});
  check_error(with_processor(R"("name": "prefix_allowed_tokens_fn", "value": 1)"), {"function"});
  check_error(with_processor(R"("name": "guidance_scale", "value": 2)"), {"unconditional_scores"});
}

TEST_CASE("scores and ids that do not fit") {
  check_error("{", {"line 1"});
  check_error("[]", {"line 1"});
  check_error("", {"line 1"});
  check_error(R"({"scores": [[1.0]]})", {"input_ids"});
  check_error(R"({"input_ids": [[0]], "scores": []})", {"scores"});
  check_error(R"({"input_ids": [[0]], "scores": [[]]})", {"scores"});
  check_error(R"({"input_ids": [[0], [0]], "scores": [[1.0]]})", {"input_ids", "1 (the rows of scores)"});
  check_error(R"({"input_ids": [[0], [0]], "scores": [[1.0], [1.0, 2.0]]})", {"scores[1]"});
  check_error(R"({"input_ids": [[1]], "scores": [[1.0]]})", {"input_ids", "0"});
  check_error(R"({"input_ids": [[0]], "scores": [[true]]})", {"scores", "number"});
  check_error(R"({"input_ids": [[0]], "scores": [[1.0]], "prompt_length": 2})", {"prompt_length", "0 to 1"});
  check_error(R"({"input_ids": [[0]], "scores": [[1.0]], "attention_mask": [[1, 1]]})", {"attention_mask"});
  check_error(R"({"input_ids": [[0]], "scores": [[1.0]], "model": "x"})", {"unknown field 'model'"});
}

TEST_CASE("NaN: the message names what brought it about; remove_invalid_values mends it") {
  const auto line = [](const std::string& scores, const std::string& processors) {
    return R"({"input_ids": [[0]], "scores": [[)" + scores + R"(]], "processors": [)" + processors + "]}";
  };
  const std::string top_k = R"({"name": "top_k", "value": 1})";
  check_error(line(R"("nan", 1.0, 2.0)", top_k), {"scores", "NaN"});
  check_error(line(R"("-inf", 1.0)", R"({"name": "sequence_bias", "value": [[[0], "inf"]]}, )" + top_k),
              {"sequence_bias", "NaN"});
  const Json mended =
      score_answer(line(R"("nan", 1.0, 2.0)", top_k + R"(, {"name": "remove_invalid_values"})"));
  CHECK(mended["scores"][0][0] == 0.0);
  CHECK(mended["scores"][0][2] == 2.0);
}

TEST_CASE("a vocabulary of one token") {
  for (const char* entry :
       {R"("name": "temperature", "value": 0.5)", R"("name": "top_k", "value": 7)",
        R"("name": "top_p", "value": 0.0)", R"("name": "typical_p", "value": 0.2)",
        R"("name": "top_h", "value": 0.1)", R"("name": "eta_cutoff", "value": 0.9)",
        R"("name": "watermarking_config", "value": {})", R"("name": "no_repeat_ngram_size", "value": 5)"}) {
    const Json answer = score_answer(R"({"input_ids": [[0, 0]], "scores": [[0.0]], "processors": [{)" +
                                     std::string(entry) + "}]}");
    REQUIRE_MESSAGE(answer.contains("scores"), answer.dump());
    CHECK(answer["scores"] == Json::parse("[[0.0]]"));
  }
}

}  // namespace
}  // namespace llm
