#include "tests/course/exercises/01_tokenizer/cut.h"

namespace llm::grading {
namespace {

// `right` and the mistakes: the text with bars where it is cut.
void check(std::string_view right,
           const std::vector<std::pair<std::string_view, std::string>>& mistakes = {}) {
  std::string text;
  for (const std::string& word : words(right)) text += word;
  Mistakes<Words> known;
  for (const auto& [cuts, says] : mistakes) known.push_back({words(cuts), says});
  expect_equal<Words>("the words of \"" + text + "\"", cut(kGpt2Pattern, text), words(right), known);
}

TEST_CASE("a blank belongs to the word behind it") {
  check(
      "Once| upon| a| time",
      {{"Once| |upon| |a| |time", "the blank is a word of its own; one blank belongs to the word behind it"},
       {"Once |upon |a |time", "the blank belongs to the word before it; it is the one behind"}});
  check("not| -|1",
        {{"not| |-|1", "the blank is a word of its own; one blank belongs to the word behind it"}});
}

TEST_CASE("letters, numbers and symbols never share a word") {
  check("gpt|2| has| 117|M| weights|...",
        {{"gpt2| has| 117M| weights|...", "letters and numbers went into one word; they never do"}});
  check("x|==|3|;", {{"x|==3|;", "symbols and numbers went into one word; they never do"}});
  check("Größe| 12½|€|東京|２",
        {{"Gr|öß|e| 12|½€東京２", "only ASCII letters count as letters; Unicode's classes decide"}});
}

TEST_CASE("a contraction is cut off, in small letters only") {
  check("don|'t| we|'re| it|'s",
        {{"don|'|t| we|'|re| it|'|s", "contractions such as 't were not looked for"}});
  check("IT|'|S| I|'|LL",
        {{"IT|'S| I|'LL", "capital contractions were cut off too; GPT-2's are small ones"}});
  check("'t|is| '|x");  // 'tis is no contraction in 't, but the pattern cannot know
}

}  // namespace
}  // namespace llm::grading
