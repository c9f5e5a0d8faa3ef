// One JSON object a line: {"template", "messages", "tokens"?, "variables"?, "tools"?, "documents"?,
// "add_generation_prompt"?, "enable_thinking"?, "now"?} -> {"text"} or {"error"}.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "common/base/error.h"
#include "common/text/chat_template.h"

namespace {

std::string dumped(const llm::Json& line, const char* key) {
  return line.contains(key) ? line[key].dump() : "";
}

std::string render(const llm::Json& line) {
  llm::SpecialTokens tokens;
  if (line.contains("tokens")) {
    for (const auto& [name, text] : line["tokens"].items())
      tokens.emplace_back(name, text.get<std::string>());
  }
  llm::ChatOptions options;
  options.add_generation_prompt = line.value("add_generation_prompt", false);
  if (line.contains("enable_thinking")) options.enable_thinking = line["enable_thinking"].get<bool>();
  options.tools = dumped(line, "tools");
  options.documents = dumped(line, "documents");
  options.variables = dumped(line, "variables");
  if (line.contains("now")) options.now = line["now"].get<std::int64_t>();
  return llm::ChatTemplate(line["template"].get<std::string>(), tokens)
      .render_json(line["messages"], options);
}

}  // namespace

int main() {
  std::string text;
  while (std::getline(std::cin, text)) {
    llm::Json answer;
    try {
      answer["text"] = render(llm::parse_json(text, "line"));
    } catch (const llm::Error& error) {
      answer["error"] = error.what();
    }
    std::cout << answer.dump(-1, ' ', true, llm::Json::error_handler_t::replace) << std::endl;
  }
}
