#include "chapters/01_tokenizer/byte_map.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Table = std::vector<char32_t>;

Table table_of_reader() {
  Table table;
  for (int byte = 0; byte < 256; ++byte) table.push_back(byte_to_character(static_cast<unsigned char>(byte)));
  return table;
}

// GPT-2's alphabet, in closed form: 33 bytes up to the blank, then 34 from DEL on, then the soft hyphen.
char32_t expected(int byte) {
  const auto at = static_cast<char32_t>(byte);
  if (at <= 0x20) return 0x100 + at;
  if (at >= 0x7F && at <= 0xA0) return 0x121 + (at - 0x7F);
  return at == 0xAD ? 0x143 : at;
}

template <class F>
Table table_of(F character) {
  Table table;
  for (int byte = 0; byte < 256; ++byte) table.push_back(character(byte));
  return table;
}

TEST_CASE("every byte has the character that GPT-2 gave it") {
  const Table right = table_of(expected);
  const Table soft_hyphen = table_of([](int byte) { return byte == 0xAD ? U'\u00AD' : expected(byte); });
  const Table offset = table_of([](int byte) {
    const auto at = static_cast<char32_t>(byte);
    return expected(byte) == at ? at : 0x100 + at;
  });
  const Table identity = table_of([](int byte) { return static_cast<char32_t>(byte); });
  const Table blank = table_of([](int byte) {
    const char32_t right_one = expected(byte);
    return byte == ' ' ? U' ' : right_one > 0x120 ? right_one - 1 : right_one;
  });
  expect_equal<Table>(
      "the characters of bytes 0 to 255", table_of_reader(), right,
      {{soft_hyphen, "0xAD, the soft hyphen, was taken for a character that prints; it is invisible"},
       {offset, "substitutes are numbered by the byte (U+0100 + byte); they are counted one after the other"},
       {identity, "every byte became the character of its own number; control characters do not print"},
       {blank, "the blank was kept; it needs a substitute too, so that no token holds a real blank"}});
}

TEST_CASE("no two bytes share a character, and each finds its way back") {
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t character = byte_to_character(static_cast<unsigned char>(byte));
    expect_equal<std::optional<unsigned char>>("the way back of byte " + std::to_string(byte),
                                               character_to_byte(character),
                                               static_cast<unsigned char>(byte));
  }
  expect_equal<std::optional<unsigned char>>("the byte of a character outside", character_to_byte(U'\u0144'),
                                             std::nullopt);
}

TEST_CASE("a text is written in the alphabet and read again") {
  expect_equal<std::string>("\"a b\" and a line end", bytes_to_characters("a b\n"), "aĠbĊ");
  expect_equal<std::string>("the UTF-8 bytes of ß", bytes_to_characters("ß"), "ÃŁ");
  expect_equal<std::string>("a text of two lines, there and back",
                            characters_to_bytes(bytes_to_characters("no\ttabs\r\nß")).value_or("nothing"),
                            "no\ttabs\r\nß");
}

}  // namespace
}  // namespace llm::grading
