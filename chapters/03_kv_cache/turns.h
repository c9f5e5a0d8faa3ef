// What the model is asked, from the command line: one text, or the turns of a conversation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "common/cli/options.h"

namespace llm {

struct TurnFlags {
  std::string chat, system, chat_template;
  std::vector<std::string> then;
};

// --chat, --system, --template and --then.
void add_turn_flags(Options& options, TurnFlags& flags);

// After parse(): sets the default prompt. Errors: kUsage for an empty text, --prompt with --chat, --then
// without --chat.
void check_turn_flags(const Options& options, const TurnFlags& flags, std::string& prompt);

class Turns {
 public:
  Turns(const OpenModel& opened, const TurnFlags& flags, std::string prompt);

  // The ids of the next turn's prompt: the whole conversation so far, or nothing when it is over. reply: the
  // model's tokens of the turn before.
  std::optional<std::vector<Token>> next(const std::vector<Token>& reply);

  // What to print before the answer: the plain prompt, or the message that it answers.
  std::string heading() const;

 private:
  const OpenModel& opened_;
  TurnFlags flags_;
  std::string prompt_;
  std::vector<std::pair<std::string, std::string>> messages_;  // role, content
  std::size_t asked_ = 0;
};

}  // namespace llm
