#include "chapters/01_tokenizer/byte_map.h"

#include <array>

#include "common/text/utf8.h"

namespace llm {
namespace {

constexpr char32_t kFirstSubstitute = 0x100;
constexpr int kSubstitutes = 68;  // bytes that have no printable character of their own

constexpr bool prints(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

struct ByteAlphabet {
  std::array<char32_t, 256> characters{};
  std::array<int, kFirstSubstitute + kSubstitutes> bytes{};  // by character; -1: not in the alphabet

  constexpr ByteAlphabet() {
    for (int& byte : bytes) byte = -1;
    char32_t substitute = kFirstSubstitute;
    for (int byte = 0; byte < 256; ++byte) {
      characters[byte] = prints(byte) ? static_cast<char32_t>(byte) : substitute++;
      bytes[characters[byte]] = byte;
    }
  }
};

constexpr ByteAlphabet kAlphabet;

}  // namespace

char32_t byte_to_character(unsigned char byte) { return kAlphabet.characters[byte]; }

std::optional<unsigned char> character_to_byte(char32_t character) {
  if (character >= kAlphabet.bytes.size() || kAlphabet.bytes[character] < 0) return std::nullopt;
  return static_cast<unsigned char>(kAlphabet.bytes[character]);
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
