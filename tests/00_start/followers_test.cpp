#include "chapters/00_start/followers.h"

#include <doctest/doctest.h>

#include <numeric>
#include <string>

using llm::Counts;

namespace {

llm::Index at(const Counts& counts, char letter) { return counts[static_cast<unsigned char>(letter)]; }

}  // namespace

TEST_CASE("followers of a letter are counted, overlapping and to the end of the text") {
  const Counts counts = llm::count_followers("the other teeth", 't');
  CHECK(at(counts, 'h') == 3);  // the, other, teeth
  CHECK(at(counts, 'e') == 1);  // teeth
  CHECK(std::accumulate(counts.begin(), counts.end(), llm::Index{0}) == 4);
  CHECK(at(llm::count_followers("aaa", 'a'), 'a') == 2);
}

TEST_CASE("no text, one letter, and a last letter have no followers") {
  for (const char* text : {"", "t", "ant"}) CHECK(llm::count_followers(text, 't') == Counts{});
}

TEST_CASE("bytes above 127 are counted as bytes") {
  const Counts counts = llm::count_followers("\xC3\xA9\xC3\xA8", '\xC3');
  CHECK(at(counts, '\xA9') == 1);
  CHECK(at(counts, '\xA8') == 1);
}

TEST_CASE("a probability is a share of all that was counted") {
  Counts counts{};
  CHECK(llm::probability(counts, 'x') == 0);
  counts['x'] = 3;
  counts['y'] = 5;
  CHECK(llm::probability(counts, 'x') == 0.375);
  CHECK(llm::probability(counts, 'y') == 0.625);
  CHECK(llm::probability(counts, 'z') == 0);
}
