#include "common/text/chat_template.h"

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/text/jinja/interpreter.h"
#include "common/text/jinja/json_value.h"
#include "common/text/jinja/lexer.h"

namespace llm {
namespace {

std::tm local_time(std::optional<std::int64_t> now) {
  const std::time_t seconds = now ? static_cast<std::time_t>(*now) : std::time(nullptr);
  std::tm local{};
  localtime_r(&seconds, &local);
  return local;
}

[[noreturn]] void bad_messages(const std::string& got, const std::string& expected) {
  fail(ErrorCode::kFormat,
       {.where = "messages", .what = "the conversation is", .got = got, .expected = expected});
}

// One message without the members that are null, with its reasoning under the names that templates read.
jinja::Value prepared_message(const Json& message) {
  static constexpr std::array kReasoningNames = {"reasoning_content", "thinking", "reasoning"};
  const Json* reasoning = nullptr;
  for (const char* name : kReasoningNames) {
    const auto found = message.find(name);
    if (reasoning == nullptr && found != message.end() && !found->is_null()) reasoning = &*found;
  }
  jinja::Dict dict;
  if (reasoning != nullptr) dict.set("thinking", jinja::from_json(*reasoning));
  for (const auto& [key, value] : message.items()) {
    if (!value.is_null()) dict.set(key, jinja::from_json(value));
  }
  if (reasoning != nullptr) dict.set("reasoning_content", jinja::from_json(*reasoning));
  return jinja::Value::dict(std::move(dict));
}

jinja::Value prepared_messages(const Json& messages) {
  if (!messages.is_array()) bad_messages("no list", "a list of messages");
  if (messages.empty()) bad_messages("empty", "one message or more");
  jinja::Items items;
  for (const Json& message : messages) {
    if (!message.is_object())
      bad_messages("a list with something that is no object", "objects with role and content");
    items.push_back(prepared_message(message));
  }
  return jinja::Value::list(std::move(items));
}

// A list of objects, or None for an empty text.
jinja::Value object_list(const std::string& text, const std::string& name) {
  if (text.empty()) return jinja::Value();
  const Json json = parse_json(text, name);
  if (json.is_null()) return jinja::Value();
  const bool is_list = json.is_array() && std::all_of(json.begin(), json.end(),
                                                      [](const Json& item) { return item.is_object(); });
  if (!is_list) fail(ErrorCode::kFormat, {.where = name, .what = "not a list of objects"});
  return jinja::from_json(json);
}

jinja::Dict variables_of(const Json& messages, const SpecialTokens& tokens, const ChatOptions& options) {
  jinja::Dict variables;
  for (const auto& [name, text] : tokens) variables.set(name, jinja::Value(text));
  variables.set("messages", prepared_messages(messages));
  variables.set("tools", object_list(options.tools, "tools"));
  variables.set("documents", object_list(options.documents, "documents"));
  variables.set("add_generation_prompt", jinja::Value(options.add_generation_prompt));
  if (options.enable_thinking) variables.set("enable_thinking", jinja::Value(*options.enable_thinking));
  if (!options.variables.empty()) {
    const Json further = parse_json(options.variables, "template variables");
    JsonReader(further, "template variables").expect_object();
    for (const auto& [name, value] : further.items()) variables.set(name, jinja::from_json(value));
  }
  return variables;
}

}  // namespace

struct ChatTemplate::Parsed {
  jinja::Block block;
};

ChatTemplate::ChatTemplate(std::string source, SpecialTokens tokens)
    : source_(std::move(source)),
      parsed_(std::make_shared<const Parsed>(Parsed{jinja::parse_template(source_)})),
      tokens_(std::move(tokens)) {}

void ChatTemplate::set_tool_template(std::string source) {
  tool_parsed_ = std::make_shared<const Parsed>(Parsed{jinja::parse_template(source)});
}

std::string ChatTemplate::render_json(const Json& messages, const ChatOptions& options) const {
  const jinja::Dict variables = variables_of(messages, tokens_, options);
  const bool has_tools = !variables.find("tools")->is_none();
  const Parsed& parsed = has_tools && tool_parsed_ ? *tool_parsed_ : *parsed_;
  jinja::Interpreter interpreter(local_time(options.now));
  try {
    return interpreter.render(parsed.block, variables);
  } catch (const jinja::Fault& fault) {
    const bool may_be_ours = fault.code() != ErrorCode::kMismatch;
    fail(fault.code(), {.where = jinja::template_line(interpreter.line()),
                        .what = fault.what(),
                        .remedy = may_be_ours ? jinja::kOtherTemplates : ""});
  }
}

std::string ChatTemplate::render_json_text(std::string_view messages, const ChatOptions& options) const {
  return render_json(parse_json(messages, "messages"), options);
}

std::string ChatTemplate::render(const std::vector<ChatMessage>& messages, const ChatOptions& options) const {
  Json list = Json::array();
  for (const ChatMessage& message : messages) {
    list.push_back(Json{{"role", message.role}, {"content", message.content}});
  }
  return render_json(list, options);
}

}  // namespace llm
