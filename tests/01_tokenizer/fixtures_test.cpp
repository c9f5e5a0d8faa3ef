// The ids, texts and pieces that the tokenizers library gives (data/*.jsonl), for real and for tiny
// tokenizers.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "chapters/01_tokenizer/streaming_decoder.h"
#include "tests/01_tokenizer/support.h"
#include "tests/json_lines.h"

namespace llm::test {
namespace {

std::vector<Json> read_lines(const std::string& name) {
  const std::vector<Json> lines = read_json_lines(data_path(name));
  REQUIRE(lines.size() > 40);
  return lines;
}

void check_cases(const Tokenizer& tokenizer, const std::string& name) {
  for (const Json& line : read_lines(name + ".jsonl")) {
    const auto text = line["text"].get<std::string>();
    const auto ids = line["ids"].get<std::vector<Token>>();
    CAPTURE(name);
    CAPTURE(text);
    CHECK(tokenizer.encode(text, false) == ids);
    CHECK(tokenizer.encode(text) == line.value("ids_with_special", ids));
    CHECK(tokenizer.decode(ids) == line["decoded"].get<std::string>());
    CHECK(tokenizer.decode(ids, true) == line["decoded_skip_special"].get<std::string>());
  }
}

void check_streams(const Tokenizer& tokenizer, const std::string& name) {
  for (const Json& line : read_lines(name + ".stream.jsonl")) {
    CAPTURE(name);
    CAPTURE(line.dump());
    StreamingDecoder decoder(tokenizer);
    std::vector<std::string> pieces;
    for (const Json& id : line["ids"]) pieces.push_back(decoder.put(id.get<Token>()));
    CHECK(pieces == line["pieces_after_each_token"].get<std::vector<std::string>>());
    CHECK(decoder.end() == line["rest_at_end"].get<std::string>());
  }
}

TEST_CASE("the tiny models' tokenizers give the reference's ids, texts and pieces") {
  for (const std::string name : {"tiny-qwen3", "tiny-llama", "tiny-llama-linear"}) {
    const Tokenizer tokenizer = Tokenizer::load(data_path(name));
    check_cases(tokenizer, name);
    check_streams(tokenizer, name);
  }
}

TEST_CASE("Qwen3's tokenizer gives the reference's ids, texts and pieces") {
  check_cases(qwen3(), "qwen3");
  check_streams(qwen3(), "qwen3");
}

TEST_CASE("Qwen3's tokens that explanations often get wrong") {
  const Tokenizer& tokenizer = qwen3();
  CHECK(tokenizer.encode("Which city is the capital of France?") ==
        std::vector<Token>{23085, 3283, 374, 279, 6722, 315, 9625, 30});
  CHECK(tokenizer.encode("Explain large language models.") ==
        std::vector<Token>{840, 20772, 3460, 4128, 4119, 13});
  // Only bare "Explain" splits; with a blank or a small letter it is one token.
  CHECK(tokenizer.encode(" Explain").size() == 1);
  CHECK(tokenizer.encode(" explain").size() == 1);
  CHECK(tokenizer.encode("explain").size() == 1);
  CHECK(tokenizer.vocab_size() == 151669);  // the model has 151,936 rows
  CHECK(tokenizer.is_special(151645));
  CHECK_FALSE(tokenizer.is_special(151667));  // <think> is an added token, but not special
  CHECK(*tokenizer.id_to_token(151667) == "<think>");
  CHECK(tokenizer.token_bytes(20772) == "plain");
  CHECK(tokenizer.token_to_id("Ġlarge").value() == 3460);
  CHECK(tokenizer.token_bytes(3460) == " large");
}

TEST_CASE("SmolLM2's tokenizer out of its GGUF file gives the reference's ids and texts") {
  const auto file = std::filesystem::path(LLM_SOURCE_DIR) / "models/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!std::filesystem::exists(file)) {
    MESSAGE("skipped: SmolLM2 is not there (make model fetches it)");
    return;
  }
  check_cases(Tokenizer::load(file), "smollm2");
}

}  // namespace
}  // namespace llm::test
