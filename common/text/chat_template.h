// Chat templates: the text that a model was trained to see for a conversation.
//
// A model brings its template as a program in Jinja's language. It is run here as transformers'
// apply_chat_template(tokenize=False) runs it (Jinja2's ImmutableSandboxedEnvironment with trim_blocks and
// lstrip_blocks; transformers 5.23.0, utils/chat_template_utils.py), so the texts are equal to the byte.
// Nothing that a template does can harm: it reads its variables, writes text, and is stopped when it goes on
// for too long, calls itself too deeply or makes too much text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/json.h"

namespace llm {

struct ChatMessage {
  std::string role;  // "system", "user", "assistant", "tool"
  std::string content;
};

// Names and texts of a tokenizer's special tokens, {"bos_token", "<s>"}: variables of the template. One that
// the tokenizer lacks is left out, which the template sees as undefined.
using SpecialTokens = std::vector<std::pair<std::string, std::string>>;

struct ChatOptions {
  bool add_generation_prompt = false;
  std::optional<bool> enable_thinking = {};
  // JSON texts: arrays of tools and documents (empty: none), and an object with further variables.
  std::string tools = {};
  std::string documents = {};
  std::string variables = {};
  // What the template takes for the current time, in seconds since 1970 (shown as local time).
  std::optional<std::int64_t> now = {};
};

class ChatTemplate {
 public:
  // source: the template. Errors: kFormat for a mistake in it and kUnsupported for a construct that is not
  // supported, with the line in the template.
  ChatTemplate(std::string source, SpecialTokens tokens);

  // A second template, which is used when there are tools (the "tool_use" of a list of templates).
  void set_tool_template(std::string source);

  // The conversation as text. messages: an array of objects with "role" and "content" (a text, or a list of
  // parts) and whatever else the template reads ("tool_calls", "reasoning_content", ...), as JSON or its
  // text. As in transformers, members that are null count as absent, and "reasoning" and "thinking" are other
  // names of "reasoning_content". Errors: kMismatch with the template's own message when it refuses the
  // conversation (raise_exception) or cannot handle it; kUnsupported; kRange when it exceeds a limit; kFormat
  // for messages that are not of this form.
  std::string render(const std::vector<ChatMessage>& messages, const ChatOptions& options = {}) const;
  std::string render_json(const Json& messages, const ChatOptions& options = {}) const;
  std::string render_json_text(std::string_view messages, const ChatOptions& options = {}) const;

  // How the rendered text is to be encoded, so that it has exactly one BOS: with add_special_tokens or
  // without. A model's template writes the BOS itself (or wants none): false. The built-in ones leave it to
  // the tokenizer: true.
  bool wants_special_tokens() const { return wants_special_tokens_; }
  void set_wants_special_tokens(bool wants) { wants_special_tokens_ = wants; }

  const std::string& source() const { return source_; }

 private:
  struct Parsed;

  std::string source_;
  std::shared_ptr<const Parsed> parsed_;
  std::shared_ptr<const Parsed> tool_parsed_;  // null: the same
  SpecialTokens tokens_;
  bool wants_special_tokens_ = false;
};

// "chatml" (<|im_start|>role ... <|im_end|>) or "plain" ("System: ...", "User: ...", "Assistant:"), for
// models without a template or with one that cannot be run. Errors: kUsage for another name.
ChatTemplate builtin_chat_template(std::string_view name);

// The template of a model folder: chat_template.jinja, or else "chat_template" in tokenizer_config.json (a
// text, or a list of named ones), with the special tokens of tokenizer_config.json. choice, where it is not
// empty, is the value of --template: "chatml", "plain" or the path of a template file. Errors: kMissing
// without a template; those of ChatTemplate and of reading JSON.
ChatTemplate load_chat_template(const std::filesystem::path& folder, std::string_view choice = {});

// The special tokens that tokenizer_config.json names (as text, or as an object with "content").
SpecialTokens special_tokens_of(const Json& tokenizer_config);

}  // namespace llm
