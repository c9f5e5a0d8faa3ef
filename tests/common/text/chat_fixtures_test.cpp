// Conversations rendered by transformers with the templates of real models and with others like them.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/text/chat_template.h"
#include "tests/json_lines.h"

using namespace llm;

namespace {

const std::filesystem::path kData = std::filesystem::path(LLM_SOURCE_DIR) / "tests/common/text/data";

std::vector<Json> read_lines(const std::string& name) {
  std::vector<Json> lines = read_json_lines(kData / name);
  REQUIRE(!lines.empty());
  return lines;
}

std::string dumped(const Json& line, const char* key) { return line.contains(key) ? line[key].dump() : ""; }

ChatOptions options_of(const Json& line) {
  ChatOptions options;
  options.add_generation_prompt = line.value("add_generation_prompt", false);
  if (line.contains("enable_thinking")) options.enable_thinking = line["enable_thinking"].get<bool>();
  options.tools = dumped(line, "tools");
  options.documents = dumped(line, "documents");
  options.variables = dumped(line, "variables");
  return options;
}

SpecialTokens tokens_of(const Json& line) {
  SpecialTokens tokens;
  if (!line.contains("tokens")) return tokens;
  for (const auto& [name, text] : line["tokens"].items()) tokens.emplace_back(name, text.get<std::string>());
  return tokens;
}

// The text, or "refused"; so that one comparison covers both.
std::string outcome(const std::string& source, const SpecialTokens& tokens, const Json& messages,
                    const ChatOptions& options) {
  try {
    return "text: " + ChatTemplate(source, tokens).render_json(messages, options);
  } catch (const Error&) {
    return "refused";
  }
}

std::string expected_outcome(const Json& line) {
  return line["expected"].is_null() ? "refused" : "text: " + line["expected"].get<std::string>();
}

}  // namespace

TEST_CASE("the fixtures' conversations are rendered as transformers renders them") {
  std::map<std::string, Json> families;
  for (const Json& line : read_lines("chat.jsonl")) {
    const auto family = line["family"].get<std::string>();
    if (!families.contains(family))
      families[family] = read_json_file(kData / "templates" / (family + ".json"));
    const Json& config = families[family];
    CAPTURE(line["name"].get<std::string>());
    CHECK(outcome(config["chat_template"].get<std::string>(), special_tokens_of(config), line["messages"],
                  options_of(line)) == expected_outcome(line));
  }
  CHECK(families.size() == 6);
}

// Written by tests/parity/make_chat_goldens.py, the expected texts by transformers.
TEST_CASE(
    "conversations with tools, reasoning, parts and odd texts, in a template that uses the whole language") {
  const std::vector<Json> lines = read_lines("templates.jsonl");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto name = lines[i]["template_name"].get<std::string>();
    CAPTURE(name);
    CAPTURE(lines[i]["name"].get<std::string>());
    CHECK(outcome(lines[0][name].get<std::string>(), tokens_of(lines[i]), lines[i]["messages"],
                  options_of(lines[i])) == expected_outcome(lines[i]));
  }
}

TEST_CASE(
    "every feature of the language, random expressions and random white space, as Jinja2 renders them") {
  const std::vector<Json> lines = read_lines("jinja.jsonl");
  ChatOptions options;
  options.variables = lines[0]["variables"].dump();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto source = lines[i]["template"].get<std::string>();
    CAPTURE(source);
    CHECK(outcome(source, {}, lines[0]["messages"], options) == expected_outcome(lines[i]));
  }
}
