// UTF-8: the bytes of a text and the Unicode code points that they spell.
#pragma once

#include <string>
#include <string_view>

#include "common/base/types.h"

namespace llm {

// What invalid bytes turn into: U+FFFD, three bytes long in UTF-8.
inline constexpr char32_t kReplacementCharacter = 0xFFFD;

struct DecodedCodePoint {
  char32_t value = kReplacementCharacter;
  Index length = 0;         // bytes used, at least 1
  bool valid = false;       // otherwise value is U+FFFD and length that of the maximal invalid part
  bool incomplete = false;  // invalid only because the text ends: more bytes could finish the character
};

// The code point whose first byte is text[at]; 0 <= at < text.size().
// A maximal invalid part is the longest start of a character that could have become valid, or else one byte
// (Unicode 15, section 3.9, "U+FFFD substitution of maximal subparts"). No overlong forms, no surrogates.
DecodedCodePoint decode_code_point(std::string_view text, Index at);

// Appends the bytes of one code point; a surrogate or a value above U+10FFFF becomes U+FFFD.
void append_code_point(std::string& text, char32_t code_point);
std::string encode_utf8(std::u32string_view code_points);

// All code points; each maximal invalid part becomes one U+FFFD.
std::u32string decode_utf8(std::string_view text);

// The text with one U+FFFD for each maximal invalid part, as Rust's String::from_utf8_lossy.
std::string from_utf8_lossy(std::string_view text);

bool is_valid_utf8(std::string_view text);

// Code points in the text, a maximal invalid part counting as one: Python's len() of a str.
Index count_code_points(std::string_view text);

// How many bytes at the end begin a character that is not finished yet (0 to 3). What a streamer must hold
// back; bytes that can never become valid are not counted.
Index incomplete_suffix_length(std::string_view text);

}  // namespace llm
