// The JSON lines and the views of the program.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "chapters/01_tokenizer/tokenizer_jsonl.h"
#include "chapters/01_tokenizer/tokenizer_view.h"
#include "tests/01_tokenizer/support.h"
#include "tests/json_lines.h"

namespace llm::test {
namespace {

Served serve(const std::string& requests) {
  const auto model = data_path("tiny-qwen3");
  return serve_lines(requests, [&](std::istream& in, std::ostream& out) {
    return serve_tokenizer(Tokenizer::load(model), model, in, out);
  });
}

TEST_CASE("JSON lines: text to ids, ids to text, ids to pieces") {
  const Served served = serve(
      "{\"text\": \"He \\u00e9\"}\n"
      "{\"text\": \"He\", \"add_special_tokens\": false}\n"
      "{\"ids\": [39, 68, 511]}\n"
      "{\"ids\": [39, 68, 511], \"skip_special_tokens\": true}\n"
      "{\"ids\": [127, 102, 127], \"stream\": true}\n"
      "{\"ids\": []}\n");
  CHECK(served.status == 0);
  REQUIRE(served.answers.size() == 6);
  CHECK(served.answers[1]["ids"].is_array());
  CHECK(served.answers[2]["text"] == "He<|im_end|>");
  CHECK(served.answers[3]["text"] == "He");
  CHECK(served.answers[4]["pieces"] == Json({"", "\u00e9", "", "\ufffd"}));
  CHECK(served.answers[5]["text"] == "");
}

TEST_CASE("JSON lines: what cannot be answered gives an error in its place") {
  const Served served = serve(
      "{\"ids\": [512]}\n"
      "{\"ids\": [-1]}\n"
      "{\"ids\": [1.5]}\n"
      "{\"txt\": \"a\"}\n"
      "{\"text\": \"a\", \"ids\": []}\n"
      "{}\n"
      "{\"text\": 1}\n"
      "{\"text\": \"fine\"}\n");
  CHECK(served.status == 1);
  REQUIRE(served.answers.size() == 8);
  for (std::size_t i = 0; i < 7; ++i) {
    CAPTURE(i);
    CHECK(served.answers[i].size() == 1);
    CHECK(served.answers[i].contains("error"));
  }
  CHECK(served.answers[0]["error"].get<std::string>().find("512") != std::string::npos);
  CHECK(served.answers[3]["error"].get<std::string>().find("text") != std::string::npos);
  CHECK(served.answers[7].contains("ids"));
}

TEST_CASE("tokens are shown readably") {
  CHECK(visible_token(" a\n\tb\xe4\xbd\x01") == "·a⏎⇥b⟨E4⟩⟨BD⟩⟨01⟩");
  const Tokenizer& tokenizer = qwen3();
  const std::vector<Token> ids = tokenizer.encode("Explain\nlarge models");
  CHECK(token_strip(tokenizer, ids, {}) == "Ex|plain|⏎\nlarge|·models\n");
  const std::string colourful = token_strip(tokenizer, ids, {.colour = true});
  CHECK(colourful.find("\033[38;5;16;48;5;") != std::string::npos);
  CHECK(colourful.find('|') == std::string::npos);
}

TEST_CASE("two tokenizations stand side by side, row by row") {
  const Tokenizer tiny = Tokenizer::load(data_path("tiny-qwen3"));
  const std::string text = "Explain the";
  CHECK(side_by_side({"Qwen3", &qwen3(), qwen3().encode(text)}, {"tiny", &tiny, tiny.encode(text)}, {}) ==
        "  Qwen3  tiny\n"
        "  Ex     E|x\n"
        "  plain  p|l|ain\n"
        "  ·the   ·the\n");
}

TEST_CASE("merges are shown step by step") {
  const std::vector<ExplainedWord> words = qwen3().explain(" hat");
  REQUIRE(words.size() == 1);
  const std::string steps = merge_steps_text(qwen3(), words[0], {});
  CHECK(steps.starts_with("  ·|h|a|t\n"));
  CHECK(steps.find("  ·hat") != std::string::npos);
  CHECK(std::count(steps.begin(), steps.end(), '\n') == 4);
}

}  // namespace
}  // namespace llm::test
