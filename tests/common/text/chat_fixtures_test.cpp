// The conversations of the fixtures, rendered by transformers with the templates of real models.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "common/base/error.h"
#include "common/text/chat_template.h"

using namespace llm;

namespace {

const std::filesystem::path kData = std::filesystem::path(LLM_SOURCE_DIR) / "tests/common/text/data";

ChatTemplate load_family(const std::string& family) {
  const Json json = read_json_file(kData / "templates" / (family + ".json"));
  return {json["chat_template"].get<std::string>(), special_tokens_of(json)};
}

}  // namespace

TEST_CASE("all conversations of the fixtures are rendered as transformers renders them") {
  std::map<std::string, ChatTemplate> templates;
  std::ifstream lines(kData / "chat.jsonl");
  int count = 0;
  for (std::string text; std::getline(lines, text); ++count) {
    const Json line = parse_json(text, "chat.jsonl");
    const auto family = line["family"].get<std::string>();
    const auto& chat_template = templates.try_emplace(family, load_family(family)).first->second;
    ChatOptions options;
    options.add_generation_prompt = line["add_generation_prompt"].get<bool>();
    if (line.contains("enable_thinking")) options.enable_thinking = line["enable_thinking"].get<bool>();
    CAPTURE(line["name"].get<std::string>());
    if (line["expected"].is_null()) {
      CHECK_THROWS_AS(chat_template.render(line["messages"], options), Error);
    } else {
      CHECK(chat_template.render(line["messages"], options) == line["expected"].get<std::string>());
    }
  }
  CHECK(count == 154);
}
