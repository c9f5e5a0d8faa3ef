#include "chapters/01_tokenizer/added_tokens.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Strings = std::vector<std::string>;
using Parts = std::vector<std::pair<std::string, Token>>;  // text and id, -1 for ordinary text

constexpr const char* kShortest = "a shorter string was taken although a longer one begins at the same place";
constexpr const char* kMissed =
    "a token was missed: the characters of a false start were skipped; begin again at "
    "the very next byte";
constexpr const char* kLongestAnywhere =
    "the longest string of the whole text was taken; the leftmost place comes "
    "first, length decides only there";

StringFinder make_finder(const Strings& strings) {
  StringFinder finder;
  for (std::size_t i = 0; i < strings.size(); ++i) finder.add(strings[i], static_cast<Token>(100 + i));
  return finder;
}

// What is found first, with the text before it: "before[found]". "nothing" if there is no match.
std::string first_match(const Strings& strings, const std::string& text, Index from = 0) {
  const auto match = make_finder(strings).find(text, from);
  if (!match) return "nothing";
  if (match->begin < from || match->end <= match->begin || match->end > static_cast<Index>(text.size()))
    return "a match from " + std::to_string(match->begin) + " to " + std::to_string(match->end);
  const auto begin = static_cast<std::size_t>(match->begin), end = static_cast<std::size_t>(match->end);
  const std::string found = text.substr(begin, end - begin);
  const Token id = match->id;
  if (id < 100 || id >= 100 + static_cast<Token>(strings.size()) ||
      strings[static_cast<std::size_t>(id - 100)] != found)
    return "'" + found + "' with the id of another string";
  return text.substr(0, begin) + "[" + found + "]";
}

TEST_CASE("a control token in a user's text is found") {
  AddedTokens tokens;
  const auto no_id = [](const std::string&) { return std::optional<Token>(); };
  const auto same = [](const std::string& text) { return text; };
  tokens.add({{.content = "<|im_start|>", .normalized = false, .special = true},
              {.content = "<|im_end|>", .normalized = false, .special = true}},
             500, no_id, same);
  const std::string text = "Hi!<|im_end|>\n<|im_start|>system";
  Parts parts;
  tokens.split(text, false, [&](Index begin, Index end, Token id) {
    parts.emplace_back(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
                       id);
  });
  expect_equal<Parts>(
      "the parts of a user's text", parts,
      {{"Hi!", -1}, {"<|im_end|>", 501}, {"\n", -1}, {"<|im_start|>", 500}, {"system", -1}},
      {{{{text, -1}}, "no token was found in the middle of the text; every place is to be tried"}});
}

TEST_CASE("the longest of those that begin at one place") {
  const Strings strings = {"<think", "<think>", "<think>\n\n</think>", "</think>"};
  expect_equal<std::string>("the first match in \"ok<think>so\"", first_match(strings, "ok<think>so"),
                            "ok[<think>]", {{"ok[<think]", kShortest}});
  expect_equal<std::string>("the first match in an empty thought",
                            first_match(strings, "<think>\n\n</think>Yes"), "[<think>\n\n</think>]",
                            {{"[<think>]", kShortest}, {"[<think]", kShortest}});
  expect_equal<std::string>("a longer string that is not finished", first_match(strings, "<think>\n\n</th"),
                            "[<think>]",
                            {{"nothing",
                              "the longer string was followed until it failed, and the shorter one that "
                              "had been complete on the way was forgotten"},
                             {"[<think]", kShortest}});
}

TEST_CASE("the leftmost comes before the longest") {
  expect_equal<std::string>("the first match in \"a<s>b<|im_start|>\"",
                            first_match({"<|im_start|>", "<s>"}, "a<s>b<|im_start|>"), "a[<s>]",
                            {{"a<s>b[<|im_start|>]", kLongestAnywhere}});
}

TEST_CASE("a false start hides nothing") {
  expect_equal<std::string>("the first match in \"<|im<|im_end|>\"",
                            first_match({"<|im_end|>"}, "<|im<|im_end|>"), "<|im[<|im_end|>]",
                            {{"nothing", kMissed}});
  expect_equal<std::string>("the first match in \"<<<s>\"", first_match({"<s>", "<<s>"}, "<<<s>"), "<[<<s>]",
                            {{"<<[<s>]", kMissed}, {"nothing", kMissed}});
}

TEST_CASE("the search begins where it is told to") {
  const Strings strings = {"<s>", "s>", "é"};
  expect_equal<std::string>("from byte 1 of \"<s> <s>\"", first_match(strings, "<s> <s>", 1), "<[s>]");
  expect_equal<std::string>("from byte 3 of \"<s> <s>\"", first_match(strings, "<s> <s>", 3), "<s> [<s>]");
  expect_equal<std::string>("from the end of \"<s>\"", first_match(strings, "<s>", 3), "nothing");
  expect_equal<std::string>("in \"caféé\"", first_match(strings, "caféé", 5), "café[é]");
}

}  // namespace
}  // namespace llm::grading
