// Where templates come from: a model's files, and the two that are built in.
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/text/chat_template.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

constexpr const char* kChatMl =
    "{%- for message in messages %}\n"
    "    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}\n"
    "{%- endfor %}\n"
    "{%- if add_generation_prompt %}\n"
    "    {{- '<|im_start|>assistant\\n' }}\n"
    "{%- endif %}\n";

constexpr const char* kPlain =
    "{%- for message in messages %}\n"
    "    {%- if message.role == 'system' %}\n"
    "        {{- 'System: ' + message.content + '\\n\\n' }}\n"
    "    {%- else %}\n"
    "        {{- message.role | capitalize + ': ' + message.content + '\\n' }}\n"
    "    {%- endif %}\n"
    "{%- endfor %}\n"
    "{%- if add_generation_prompt %}\n"
    "    {{- 'Assistant:' }}\n"
    "{%- endif %}\n";

constexpr std::array kTokenNames = {"bos_token", "eos_token", "unk_token", "sep_token",
                                    "pad_token", "cls_token", "mask_token"};

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    fail(ErrorCode::kMissing, {.where = path.string(),
                               .what = "the template cannot be read",
                               .remedy = "--template takes chatml, plain or the path of a file"});
  }
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!is_valid_utf8(text))
    fail(ErrorCode::kFormat, {.where = path.string(), .what = "the template is not UTF-8"});
  return text;
}

// "chat_template" is a text or a list of {"name", "template"}.
ChatTemplate from_config(const JsonReader& config, SpecialTokens tokens) {
  const JsonReader entry = config.at("chat_template");
  if (entry.is_string()) return {entry.string(), std::move(tokens)};
  entry.expect_array();
  std::optional<std::string> usual;
  std::optional<std::string> tool_use;
  for (Index i = 0; i < entry.size(); ++i) {
    const std::string& name = entry.at(i).at("name").string();
    if (name == "default") usual = entry.at(i).at("template").string();
    if (name == "tool_use") tool_use = entry.at(i).at("template").string();
  }
  if (!usual) entry.fail_here("no template named 'default'");
  ChatTemplate result(*usual, std::move(tokens));
  if (tool_use) result.set_tool_template(*tool_use);
  return result;
}

}  // namespace

ChatTemplate builtin_chat_template(std::string_view name) {
  if (name != "chatml" && name != "plain") {
    fail(ErrorCode::kUsage, {.where = "--template",
                             .what = "no built-in template is called",
                             .got = "'" + std::string(name) + "'",
                             .expected = "chatml or plain"});
  }
  ChatTemplate result(name == "chatml" ? kChatMl : kPlain, {});
  result.set_wants_special_tokens(true);
  return result;
}

SpecialTokens special_tokens_of(const Json& tokenizer_config) {
  const JsonReader config(tokenizer_config, "tokenizer_config.json");
  SpecialTokens tokens;
  for (const char* name : kTokenNames) {
    const std::optional<JsonReader> token = config.find(name);
    if (!token) continue;
    tokens.emplace_back(name, token->is_object() ? token->at("content").string() : token->string());
  }
  return tokens;
}

ChatTemplate load_chat_template(const std::filesystem::path& folder, std::string_view choice) {
  if (choice == "chatml" || choice == "plain") return builtin_chat_template(choice);
  const std::filesystem::path config_path = folder / "tokenizer_config.json";
  const bool has_config = std::filesystem::exists(config_path);
  const Json json = has_config ? read_json_file(config_path) : Json::object();
  SpecialTokens tokens = special_tokens_of(json);
  if (!choice.empty()) return {read_text(choice), std::move(tokens)};
  if (const auto file = folder / "chat_template.jinja"; std::filesystem::exists(file)) {
    return {read_text(file), std::move(tokens)};
  }
  const JsonReader config(json, config_path.string());
  if (!config.has("chat_template")) {
    fail(ErrorCode::kMissing,
         {.where = folder.string(),
          .what = "the model has no chat template",
          .remedy = "use --template chatml or --template plain, or give a --prompt instead of messages"});
  }
  return from_config(config, std::move(tokens));
}

}  // namespace llm
