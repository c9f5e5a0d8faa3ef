// Do a model and a tokenizer belong together?
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "chapters/01_tokenizer/tokenizer.h"
#include "common/config/model_config.h"

namespace llm {

// The class that the folder's tokenizer_config.json names, such as "Qwen2Tokenizer"; "" where it says
// nothing. Errors: those of read_json_file().
std::string tokenizer_class_of(const std::filesystem::path& folder);

// Signs that the tokenizer was made for another model, a sentence each: the model would read and write
// nonsense.
// - its class is another family's;
// - an id that the model's config calls special is an ordinary token;
// - it knows far fewer ids than the model (a few more rows than ids are usual: Qwen3 has 267).
// name: the model's, for the sentences. Errors: kMismatch for ids that reach beyond vocab_size.
std::vector<std::string> check_tokenizer_fit(const std::string& name, const ModelConfig& config,
                                             const Tokenizer& tokenizer, const std::string& tokenizer_class);

}  // namespace llm
