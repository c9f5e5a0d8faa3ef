// A model and all that belongs to it, from what --model says.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_tokenizer/tokenizer.h"
#include "common/config/generation_config.h"
#include "common/config/model_config.h"
#include "common/io/checkpoint.h"
#include "common/text/chat_template.h"

namespace llm {

struct OpenModel {
  std::string name;            // as given
  std::filesystem::path path;  // a folder or a GGUF file; the tokenizer's folder for a random model
  bool random = false;         // random weights: its tokens mean nothing

  ModelConfig config;
  GenerationConfig generation_config;  // the model's own
  std::shared_ptr<Checkpoint> checkpoint;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<std::string> warnings;  // one sentence each

  std::filesystem::path folder() const;  // the path itself, or where the GGUF file is

  // choice: the value of --template, may be empty. Errors: those of load_chat_template().
  ChatTemplate chat_template(std::string_view choice) const;
};

// name: see find_model(). quiet: no progress bar while random weights are made.
// Errors: those of the readers; those of check_tokenizer_fit(), whose signs become warnings.
OpenModel open_model(const std::string& name, bool quiet);

// What is asked for, and the model's own generation_config.json where a field is not given; of the latter the
// fields that the program honours, or none. Errors: kRange for an id outside the vocabulary.
GenerationConfig merge_with_model(const OpenModel& model, const GenerationConfig& asked,
                                  std::span<const std::string_view> honoured, bool no_model_config);

// Ids of a text as the model was trained to see it; nothing but the text where it is a plain prompt.
// Errors: kUsage for an empty text.
std::vector<Token> encode_prompt(const OpenModel& model, std::string_view text);

// The ids of a conversation, rendered by the template with the assistant's turn opened: exactly one BOS.
std::vector<Token> encode_chat(const OpenModel& model, const Json& messages,
                               const ChatTemplate& chat_template);

}  // namespace llm
