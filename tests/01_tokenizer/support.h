// What the tokenizer's tests share: texts, tokenizers and cases.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_tokenizer/tokenizer.h"
#include "common/base/types.h"

namespace llm::test {

std::filesystem::path data_path(std::string_view name);  // in tests/01_tokenizer/data

// Qwen3's tokenizer, loaded once.
const Tokenizer& qwen3();

// A tokenizer.json with the given parts (JSON texts), the vocabulary and the merges; in the way that a user's
// file is loaded. merges: JSON as well.
struct JsonParts {
  std::string vocab = R"({"a":0,"b":1,"c":2,"ab":3})", merges = R"([["a","b"]])";
  std::string normalizer = "null", pre_tokenizer = "null", post_processor = "null", decoder = "null";
  std::string added_tokens = "[]", model_options = "", truncation = "null", padding = "null";
};
std::string tokenizer_json(const JsonParts& parts);
Tokenizer load_json(const std::string& json);
Tokenizer make_tokenizer(const JsonParts& parts);

// The message of the Error that loading gives; empty if there is none.
std::string loading_error(const std::string& json);

// A text of code points that break things: of many scripts, combining, invisible, unassigned.
std::string random_text(std::uint32_t seed, Index characters);

// Any bytes.
std::string random_bytes(std::uint32_t seed, Index count);

}  // namespace llm::test
