#include "common/text/utf8.h"

#include <doctest/doctest.h>

#include <string>

using namespace llm;

TEST_CASE("every code point survives encoding and decoding, and has the length its range says") {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    append_code_point(text, c);
    const DecodedCodePoint decoded = decode_code_point(text, 0);
    const Index length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    const bool right = decoded.valid && decoded.value == c && decoded.length == length &&
                       static_cast<Index>(text.size()) == length;
    if (!right) FAIL("code point " << static_cast<unsigned>(c));
  }
}

TEST_CASE("surrogates and values above U+10FFFF become U+FFFD") {
  CHECK(encode_utf8(U"a\x110000z") == "a\xEF\xBF\xBDz");
  std::string text;
  append_code_point(text, 0xD800);
  CHECK(text == "\xEF\xBF\xBD");
}

// The expected texts are what Python's bytes.decode("utf-8", "replace") gives, which follows the same rule.
TEST_CASE("one U+FFFD for each maximal invalid part") {
  const std::string r = "\xEF\xBF\xBD";
  const auto check = [](std::string_view bytes, const std::string& expected, Index code_points) {
    CHECK(from_utf8_lossy(bytes) == expected);
    CHECK(encode_utf8(decode_utf8(bytes)) == expected);
    CHECK(count_code_points(bytes) == code_points);
    CHECK(is_valid_utf8(bytes) == (bytes == expected));
  };
  check("", "", 0);
  check("h\xC3\xA9!", "h\xC3\xA9!", 3);
  check("\x80", r, 1);
  check("a\xFFz", "a" + r + "z", 3);
  check("\xC3", r, 1);
  check("\xC3(", r + "(", 2);
  check("\xC0\xAF", r + r, 2);          // overlong
  check("\xE0\x80\x80", r + r + r, 3);  // overlong
  check("\xE2\x82", r, 1);              // a cut euro sign
  check("\xE2\x82\xE2\x82\xAC", r + "\xE2\x82\xAC", 2);
  check("\xED\xA0\x80", r + r + r, 3);  // a surrogate
  check("\xF0\x9F\x98", r, 1);          // a cut emoji
  check("\xF0\x9F\x98z", r + "z", 2);
  check("\xF0\x80\x80\x80", r + r + r + r, 4);  // overlong
  check("\xF4\x90\x80\x80", r + r + r + r, 4);  // above U+10FFFF
  check("\xF5\x80", r + r, 2);
}

TEST_CASE("only an unfinished character at the end is held back") {
  CHECK(incomplete_suffix_length("") == 0);
  CHECK(incomplete_suffix_length("abc") == 0);
  CHECK(incomplete_suffix_length("h\xC3\xA9") == 0);
  CHECK(incomplete_suffix_length("h\xC3") == 1);
  CHECK(incomplete_suffix_length("\xE2\x82") == 2);
  CHECK(incomplete_suffix_length("x\xF0\x9F\x98") == 3);
  CHECK(incomplete_suffix_length("x\xF0\x9F\x98\x80") == 0);
  CHECK(incomplete_suffix_length("\x80\x80\x80") == 0);  // can never become valid
  CHECK(incomplete_suffix_length("\xE0\x80") == 0);      // nor this: overlong
  CHECK(incomplete_suffix_length("\xFF") == 0);
}
