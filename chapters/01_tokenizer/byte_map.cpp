#include "chapters/01_tokenizer/byte_map.h"

#include <array>

#include "common/text/utf8.h"

namespace llm {
namespace {

constexpr char32_t kFirstSubstitute = 0x100;

// The character of every byte. Those that print in Latin-1 are their own character: '!' to '~', and 0xA1 to
// 0xFF but for 0xAD, the invisible soft hyphen. The others get U+0100, U+0101, ... in the order of the bytes.
std::array<char32_t, 256> make_characters() {
  std::array<char32_t, 256> characters{};
  // --8<-- [start:ex01-1]
  char32_t substitute = kFirstSubstitute;
  for (int byte = 0; byte < 256; ++byte) {
    const bool prints = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
    characters[byte] = prints ? static_cast<char32_t>(byte) : substitute++;
  }
  // --8<-- [end:ex01-1]
  return characters;
}

struct ByteAlphabet {
  std::array<char32_t, 256> characters = make_characters();
  std::array<int, kFirstSubstitute + 256> bytes{};  // by character; -1: not in the alphabet

  ByteAlphabet() {
    bytes.fill(-1);
    for (int byte = 0; byte < 256; ++byte) bytes[characters[byte]] = byte;
  }
};

const ByteAlphabet& alphabet() {
  static const ByteAlphabet tables;
  return tables;
}

}  // namespace

char32_t byte_to_character(unsigned char byte) { return alphabet().characters[byte]; }

std::optional<unsigned char> character_to_byte(char32_t character) {
  const auto& bytes = alphabet().bytes;
  if (character >= bytes.size() || bytes[character] < 0) return std::nullopt;
  return static_cast<unsigned char>(bytes[character]);
}

std::string bytes_to_characters(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) append_code_point(text, byte_to_character(static_cast<unsigned char>(byte)));
  return text;
}

std::optional<std::string> characters_to_bytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (Index at = 0; at < static_cast<Index>(text.size());) {
    const DecodedCodePoint character = decode_code_point(text, at);
    const auto byte = character_to_byte(character.value);
    if (!byte) return std::nullopt;
    bytes.push_back(static_cast<char>(*byte));
    at += character.length;
  }
  return bytes;
}

}  // namespace llm
