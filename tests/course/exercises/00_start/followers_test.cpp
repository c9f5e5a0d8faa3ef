#include "chapters/00_start/followers.h"
#include "tests/course/exercises/grading.h"

using llm::Counts;
using llm::Index;
using llm::grading::expect_equal;

namespace {

using Seen = std::vector<std::pair<std::string, Index>>;

// The letters that were counted, with their counts.
Seen seen(const Counts& counts) {
  Seen list;
  for (std::size_t byte = 0; byte < counts.size(); ++byte)
    if (counts[byte] != 0) list.emplace_back(std::string(1, static_cast<char>(byte)), counts[byte]);
  return list;
}

}  // namespace

TEST_CASE("the letters after t are counted, not t") {
  expect_equal(
      "what follows t in \"the other teeth\"", seen(llm::count_followers("the other teeth", 't')),
      {{"e", 1}, {"h", 3}},
      {{{{"t", 4}}, "the letter itself was counted; what a generator wants to know is the letter after it"},
       {{{" ", 1}, {"e", 1}, {"o", 1}},
        "the letter before was counted: the text was read from right to left"}});
}

TEST_CASE("the last letter of a text has no follower") {
  expect_equal("what follows t in \"ant\"", seen(llm::count_followers("ant", 't')), {});
  expect_equal("what follows t in an empty text", seen(llm::count_followers("", 't')), {});
}
