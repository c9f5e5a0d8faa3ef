// The patterns by which well-known models cut text into words.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "chapters/01_tokenizer/matcher.h"

namespace llm {

// GPT-2; also the built-in pattern of the pre-tokenizer ByteLevel.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// --8<-- [start:qwen2_pattern]
// Qwen2 to Qwen3: each digit alone.
inline constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
// --8<-- [end:qwen2_pattern]

// Llama 3, after GPT-4's cl100k: digits in threes.
inline constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// GPT-4o (o200k): words are cut where small letters are followed by a capital one.
inline constexpr std::string_view kGpt4oPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// The hand-written matcher of a known pattern; null for any other.
std::unique_ptr<Matcher> make_known_matcher(std::string_view pattern);

// A matcher for any pattern: hand-written for the known ones, a regular expression for all others. Both find
// the same; `where` as in make_regex_matcher.
std::unique_ptr<Matcher> make_pattern_matcher(std::string_view pattern, const std::string& where);

}  // namespace llm
