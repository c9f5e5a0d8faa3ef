// The components of a tokenizer.json, one function a kind: each reads {"type": ..., ...} and makes the
// component. Headers of this course are free of JSON types; this one is private to the loader.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chapters/01_tokenizer/tokenizer.h"
#include "common/io/json.h"

namespace llm {

NormalizerPtr read_normalizer(const JsonReader& json);

// `keep_bytes`: the last step ByteLevel leaves words as bytes.
PreTokenizerPtr read_pre_tokenizer(const JsonReader& json, bool keep_bytes);

// Whether the last step is ByteLevel, so that the model can work on bytes.
bool ends_in_byte_level(const JsonReader& json);

void read_post_processor(const JsonReader& json, PostProcessor& post_processor);
void read_decoder(const JsonReader& json, std::vector<DecoderPtr>& steps);

// Fails, naming the component, what the course has instead, and the file.
[[noreturn]] void fail_unsupported(const JsonReader& json, const std::string& kind,
                                   const std::string& supported);

// {"String": "..."} or {"Regex": "..."}. With `per_character` tells whether it is a single character.
std::unique_ptr<Matcher> read_pattern(const JsonReader& json, bool* per_character = nullptr);

}  // namespace llm
