#include "chapters/01_tokenizer/byte_map.h"
#include "chapters/01_tokenizer/decoder.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Pieces = std::vector<std::string>;

constexpr const char* kEachToken =
    "every token was decoded by itself: half a character became U+FFFD; hold its bytes "
    "back until the rest has come";
constexpr const char* kAllAtTheEnd =
    "nothing was shown before the end; what is a whole character is shown at once";
constexpr const char* kWholeToken =
    "a whole token was held back for its last, unfinished character; show the "
    "characters in front of it";
constexpr const char* kDropped = "the rest was dropped at the end; it becomes U+FFFD, as in decode()";

// What is shown after each token, and what is left at the end. Tokens are given as bytes.
Pieces stream(Pieces tokens, bool as_they_are = false) {
  const DecoderPtr decoder = make_byte_level_decoder();
  const auto reader = decoder->stream({.fused = false, .eager = true});
  Pieces pieces;
  for (const std::string& token : tokens) {
    pieces.emplace_back();
    reader->put(as_they_are ? token : bytes_to_characters(token),
                [&](const std::string& text) { pieces.back() += text; });
  }
  pieces.emplace_back();
  reader->end([&](const std::string& text) { pieces.back() += text; });
  return pieces;
}

TEST_CASE("a character in two tokens is shown with the second") {
  expect_equal<Pieces>("an emoji in two tokens", stream({"Hi ", "\xF0\x9F", "\x98\x80", "!"}),
                       {"Hi ", "", "😀", "!", ""},
                       {{{"Hi ", "\uFFFD", "\uFFFD\uFFFD", "!", ""}, kEachToken},
                        {{"", "", "", "", "Hi 😀!"}, kAllAtTheEnd},
                        {{"Hi ", "", "", "!", ""},
                         "the bytes of an unfinished character were forgotten; the next "
                         "token brings the rest of it"}});
  expect_equal<Pieces>("Chinese, three bytes in three tokens",
                       stream({"\xE4", "\xBD", "\xA0", "\xE5\xA5", "\xBD"}), {"", "", "你", "", "好", ""});
}

TEST_CASE("what is finished is shown at once") {
  expect_equal<Pieces>("a token that ends inside é", stream({"caf\xC3", "\xA9s"}), {"caf", "és", ""},
                       {{{"", "cafés", ""}, kWholeToken},
                        {{"", "", "cafés"}, kAllAtTheEnd},
                        {{"caf\uFFFD", "\uFFFDs", ""}, kEachToken}});
  expect_equal<Pieces>("an end and a beginning in one token", stream({"\xC3", "\xA9 \xE2\x82", "\xAC"}),
                       {"", "é ", "€", ""}, {{{"", "", "é €", ""}, kWholeToken}});
}

TEST_CASE("bytes that can never become a character do not wait") {
  expect_equal<Pieces>("a byte that UTF-8 never has", stream({"a\xFF", "b"}), {"a\uFFFD", "b", ""},
                       {{{"a",
                          "\uFFFD"
                          "b",
                          ""},
                         "0xFF cannot begin a character: nothing is to be waited for"},
                        {{"",
                          "a\uFFFD"
                          "b",
                          ""},
                         "0xFF cannot begin a character: nothing is to be waited for"},
                        {{"", "",
                          "a\uFFFD"
                          "b"},
                         kAllAtTheEnd}});
  expect_equal<Pieces>("a character that breaks off", stream({"\xE2\x82", "x"}), {"", "\uFFFDx", ""},
                       {{{"", "", "\uFFFDx"}, kAllAtTheEnd}});
}

TEST_CASE("a token outside the alphabet is its own text") {
  expect_equal<Pieces>("two added tokens and one of the alphabet", stream({"<| end |>", "Ġ5", "│€"}, true),
                       {"<| end |>", " 5", "│€", ""},
                       {{{"", " 5", "", ""},
                         "tokens outside the alphabet were dropped; their bytes are the token's "
                         "own"}});
}

TEST_CASE("at the end the rest is shown as U+FFFD") {
  expect_equal<Pieces>("a text that ends inside €", stream({"5 ", "\xE2\x82"}), {"5 ", "", "\uFFFD"},
                       {{{"5 ", "", ""}, kDropped},
                        {{"5 ", "", "\xE2\x82"},
                         "the rest was shown as it is; that is no valid text: pass it "
                         "through from_utf8_lossy()"},
                        {{"5 ", "\uFFFD", ""}, kEachToken},
                        {{"", "", "5 \uFFFD"}, kAllAtTheEnd}});
}

}  // namespace
}  // namespace llm::grading
