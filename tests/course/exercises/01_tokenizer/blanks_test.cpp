#include "tests/course/exercises/01_tokenizer/cut.h"

namespace llm::grading {
namespace {

constexpr const char* kGreedy = "the whole run was taken; its last blank belongs to the word behind";
constexpr const char* kNoLines = "line ends were not looked for: a run ends with its last line end";
constexpr const char* kFirstLine = "the run was cut at its first line end; it goes to the last one";
constexpr const char* kAtTheEnd = "at the end of the text no word follows: the whole run is one word";

void check(std::string_view pattern, std::string_view right,
           const std::vector<std::pair<std::string_view, std::string>>& mistakes) {
  std::string text;
  for (const std::string& word : words(right)) text += word;
  Mistakes<Words> known;
  for (const auto& [cuts, says] : mistakes) known.push_back({words(cuts), says});
  expect_equal<Words>("the words of " + show(text), cut(pattern, text), words(right), known);
}

TEST_CASE("the last blank of a run belongs to the word behind it") {
  check(kQwen2Pattern, "a|   | b", {{"a|    |b", kGreedy}});
  check(kQwen2Pattern, "a| | |1", {{"a|  |1", kGreedy}});
  check(kQwen2Pattern, "a|\t|\tb", {{"a|\t\t|b", kGreedy}});
}

TEST_CASE("at the end of the text the run stays whole") {
  check(kQwen2Pattern, "a|  ", {{"a| | ", kAtTheEnd}});
  check(kQwen2Pattern, "    ", {{"   | ", kAtTheEnd}});
}

TEST_CASE("with lines: a run ends with its last line end") {
  check(kQwen2Pattern, "if|\n|   | x", {{"if|\n   | x", kNoLines}});
  check(kQwen2Pattern, "a| \n \n|b", {{"a| \n |\n|b", kNoLines}, {"a| \n| \n|b", kFirstLine}});
  check(kQwen2Pattern, "a|\r\n\n|  ", {{"a|\r\n\n  ", kNoLines}, {"a|\r|\n|\n|  ", kFirstLine}});
}

TEST_CASE("without lines: a line end is a blank like others") {
  check(kGpt2Pattern, "a|\n|\n|b", {{"a|\n\n|b", "GPT-2's pattern knows no lines: `lines` is false"}});
  check(kGpt2Pattern, "a| \n | b", {{"a| \n| | b", "GPT-2's pattern knows no lines: `lines` is false"}});
}

TEST_CASE("a tab is no blank that a word takes along") {
  check(
      kGpt2Pattern, "a|\t|b",
      {{"a|\tb", "the tab went with the word; that is exercise 01-3: only one ' ' may stand before a word"}});
}

}  // namespace
}  // namespace llm::grading
