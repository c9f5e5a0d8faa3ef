#include "chapters/01_tokenizer/pre_tokenizer.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kEveryPart =
    "a marker was put in front of a part that does not begin the text, such as the one behind a special "
    "token";
constexpr const char* kTwice =
    "there are two markers in front; a text that begins with a blank gets no other";

Words cut(const std::string& text, PrependScheme prepend, bool at_start = true, bool split = false) {
  const PreTokenizerPtr metaspace = make_metaspace("▁", prepend, split);
  Words words;
  metaspace->cut({text, at_start ? 1 : 0}, [&](const Piece& part) { words.emplace_back(part.text); });
  return words;
}

TEST_CASE("every blank becomes a marker") {
  expect_equal<Words>("\"a b  c \"", cut("a b  c ", PrependScheme::kNever), {"a▁b▁▁c▁"},
                      {{{"a▁b  c "}, "only the first blank was replaced"},
                       {{"a▁b▁c▁"}, "a run of blanks became one marker; each blank has its own"},
                       {{"▁a▁b▁▁c▁"}, "a marker was put in front although the scheme is kNever"},
                       {{"abc"}, "the blanks were dropped"}});
  expect_equal<Words>("a text with a line end and ü", cut("ü\n b", PrependScheme::kNever), {"ü\n▁b"});
}

TEST_CASE("one marker in front, never two") {
  expect_equal<Words>("\"Hi you\"", cut("Hi you", PrependScheme::kAlways), {"▁Hi▁you"},
                      {{{"Hi▁you"}, "no marker was put in front although the scheme is kAlways"}});
  expect_equal<Words>("\" Hi\"", cut(" Hi", PrependScheme::kAlways), {"▁Hi"}, {{{"▁▁Hi"}, kTwice}});
  expect_equal<Words>("\"▁Hi\"", cut("▁Hi", PrependScheme::kAlways), {"▁Hi"}, {{{"▁▁Hi"}, kTwice}});
  expect_equal<Words>("\"  Hi\"", cut("  Hi", PrependScheme::kFirst), {"▁▁Hi"}, {{{"▁▁▁Hi"}, kTwice}});
}

TEST_CASE("with kFirst only where the text begins") {
  expect_equal<Words>("the beginning of a text", cut("user", PrependScheme::kFirst), {"▁user"},
                      {{{"user"}, "no marker was put in front of the text's beginning"}});
  expect_equal<Words>("what follows <|im_start|>", cut("user", PrependScheme::kFirst, false), {"user"},
                      {{{"▁user"}, kEveryPart}});
  expect_equal<Words>("what follows <|im_start|>, with kAlways", cut("user", PrependScheme::kAlways, false),
                      {"▁user"},
                      {{{"user"}, "kAlways means every part, also one that does not begin the text"}});
}

TEST_CASE("words are cut in front of the markers") {
  expect_equal<Words>("\"to be  or\"", cut("to be  or", PrependScheme::kFirst, true, true),
                      {"▁to", "▁be", "▁", "▁or"});
}

}  // namespace
}  // namespace llm::grading
