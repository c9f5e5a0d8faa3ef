// The hand-written scanners of known_patterns.cpp find what the regular expressions find.
#include <doctest/doctest.h>

#include "chapters/01_tokenizer/known_patterns.h"
#include "tests/01_tokenizer/support.h"

namespace llm::test {
namespace {

using Spans = std::vector<std::pair<Index, Index>>;

Spans matches(const Matcher& matcher, const std::string& text) {
  Spans spans;
  matcher.for_each_match(text, [&](Index begin, Index end) { spans.emplace_back(begin, end); });
  return spans;
}

TEST_CASE("known patterns: scanner and regular expression agree") {
  const std::vector<std::string> texts = {
      "",
      " ",
      "  ",
      "a  b",
      "a   ",
      " \n a",
      "a \r\n\r\n  b",
      "\n",
      "a\tb",
      "don't",
      "'S'T",
      "I'LL'x",
      "'r 'l 've",
      "x'",
      "''s",
      "a'\u017fb",
      "12345 678",
      "a1b2",
      "!!\n",
      " ?!/\n/",
      "/\n/a",
      "ABCdef",
      "ABC DEF'S",
      "aBcD",
      "\u01c5a\u4e00B",
      "\u4e00A\u4e01B",
      "e\u0301A\u0301",
      "\u0301A",
      " \u0301AB",
      "\u0301\u0301'sx",
      "\u3000a \u00a0b",
      "\u2028\u2029 x",
      "\u0e01\u0e49A",
      "\U0001F469\u200D\U0001F4BB a",
  };
  for (const std::string_view pattern : {kGpt2Pattern, kQwen2Pattern, kLlama3Pattern, kGpt4oPattern}) {
    CAPTURE(pattern);
    const auto scanner = make_pattern_matcher(pattern, "test");
    const auto regex = make_regex_matcher(pattern, "test");
    for (const std::string& text : texts) {
      CAPTURE(text);
      CHECK(matches(*scanner, text) == matches(*regex, text));
    }
    for (std::uint32_t seed = 0; seed < 1500; ++seed) {
      const std::string text = random_text(seed, 1 + seed % 40);
      CAPTURE(text);
      REQUIRE(matches(*scanner, text) == matches(*regex, text));
    }
  }
}

TEST_CASE("a regular expression that needs much stack still matches") {
  const auto regex = make_regex_matcher("(?:a|b(?=a))+|c", "test");
  std::string text;
  for (int i = 0; i < 200000; ++i) text += i % 2 == 0 ? 'a' : 'b';
  const Spans spans = matches(*regex, text);
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].second == static_cast<Index>(text.size()) - 1);
}

}  // namespace
}  // namespace llm::test
