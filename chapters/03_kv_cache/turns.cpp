#include "chapters/03_kv_cache/turns.h"

#include <nlohmann/json.hpp>

#include "common/base/error.h"

namespace llm {

void add_turn_flags(Options& options, TurnFlags& flags) {
  options.add_text("chat", flags.chat, "a message to the model, put into its chat template");
  options.add_texts("then", flags.then, "with --chat: the message after the model's answer; may be repeated");
  options.add_text("system", flags.system, "with --chat: how the model shall behave");
  options.add_text("template", flags.chat_template,
                   "with --chat: chatml, plain or a file, instead of the model's own");
}

void check_turn_flags(const Options& options, const TurnFlags& flags, std::string& prompt) {
  if (options.given("prompt") && (prompt.empty() || options.given("chat")))
    fail(ErrorCode::kUsage, {.where = "--prompt",
                             .what = prompt.empty() ? "is empty" : "does not go with --chat",
                             .remedy = "give the model one text to begin with"});
  for (const std::string& message : flags.then)
    if (message.empty() || flags.chat.empty())
      fail(ErrorCode::kUsage, {.where = "--then",
                               .what = message.empty() ? "is empty" : "goes with --chat only",
                               .remedy = "--chat MESSAGE --then MESSAGE"});
  if (flags.chat.empty() && prompt.empty()) prompt = "Once upon a time";
}

Turns::Turns(const OpenModel& opened, const TurnFlags& flags, std::string prompt)
    : opened_(opened), flags_(flags), prompt_(std::move(prompt)) {
  if (!flags_.system.empty()) messages_.emplace_back("system", flags_.system);
}

std::optional<std::vector<Token>> Turns::next(const std::vector<Token>& reply) {
  const std::size_t turn = asked_++;
  if (flags_.chat.empty()) return turn == 0 ? std::optional(encode_prompt(opened_, prompt_)) : std::nullopt;
  if (turn > flags_.then.size()) return std::nullopt;
  if (turn > 0)
    messages_.emplace_back("assistant", opened_.tokenizer->decode(reply, /*skip_special_tokens=*/true));
  messages_.emplace_back("user", turn == 0 ? flags_.chat : flags_.then[turn - 1]);
  Json messages = Json::array();
  for (const auto& [role, content] : messages_) messages.push_back({{"role", role}, {"content", content}});
  return encode_chat(opened_, messages, opened_.chat_template(flags_.chat_template));
}

std::string Turns::heading() const {
  if (flags_.chat.empty()) return prompt_;
  return flags_.then.empty() ? "" : "> " + messages_.back().second + "\n";
}

}  // namespace llm
