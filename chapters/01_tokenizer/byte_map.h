// The alphabet of byte-level tokenizers: one printable character for each of the 256 byte values, so that a
// vocabulary of bytes can be written down as text. Invented for GPT-2 ("Ġ" is the blank, "Ċ" the line feed).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace llm {

// The character of a byte: the byte's own Latin-1 character where that prints, else one from U+0100 on.
char32_t byte_to_character(unsigned char byte);

// The byte of a character, or nothing for a character outside the alphabet.
std::optional<unsigned char> character_to_byte(char32_t character);

// "a b\n" -> "aĠbĊ". Takes any bytes.
std::string bytes_to_characters(std::string_view bytes);

// The way back, or nothing when a character is outside the alphabet (added tokens may hold such).
std::optional<std::string> characters_to_bytes(std::string_view text);

}  // namespace llm
