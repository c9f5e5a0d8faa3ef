#include <map>

#include "chapters/01_tokenizer/bpe_model.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Merges = std::vector<std::pair<std::string, std::string>>;
using Words = std::vector<std::string>;  // a word on its way: its tokens with bars between, "a|bc"

BpeModel make_model(const Merges& merges) {
  BpeParts parts;
  for (const char letter : std::string("abcde"))
    parts.vocab.emplace_back(std::string(1, letter), static_cast<Token>(parts.vocab.size()));
  for (const auto& [left, right] : merges)
    parts.vocab.emplace_back(left + right, static_cast<Token>(parts.vocab.size()));
  parts.merges = merges;
  return BpeModel(std::move(parts), false, "test");
}

std::string joined(const Words& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += (text.empty() ? "" : "|") + token;
  return text;
}

Words steps_of_reader(const Merges& merges, const std::string& word) {
  const BpeModel model = make_model(merges);
  Words words;
  for (const MergeStep& step : model.merge_steps(word)) {
    Words tokens;
    for (const Token id : step.tokens) {
      const std::string* text = model.vocab().text(id);
      tokens.push_back(text != nullptr ? *text : "?");
    }
    words.push_back(joined(tokens));
  }
  return words;
}

// The definition with strings instead of ids. `better(rank, position, than_rank, than_position)` chooses.
template <class Better>
Words merged(const Merges& merges, const std::string& word, Better better) {
  std::map<std::pair<std::string, std::string>, int> ranks;
  for (const auto& pair : merges) ranks.emplace(pair, static_cast<int>(ranks.size()));
  Words tokens, steps;
  for (const char letter : word) tokens.emplace_back(1, letter);
  for (;;) {
    std::vector<std::pair<int, int>> candidates;  // rank, position
    for (int i = 1; i < static_cast<int>(tokens.size()); ++i)
      if (const auto found = ranks.find({tokens[i - 1], tokens[i]}); found != ranks.end())
        candidates.emplace_back(found->second, i - 1);
    if (candidates.empty()) return steps;
    const auto [rank, at] = *std::min_element(candidates.begin(), candidates.end(), better);
    tokens[at] += tokens[at + 1];
    tokens.erase(std::next(tokens.begin(), at + 1));
    steps.push_back(joined(tokens));
  }
}

// Goes through the merges once, in the order of their ranks.
Words swept(const Merges& merges, const std::string& word) {
  Words tokens, steps;
  for (const char letter : word) tokens.emplace_back(1, letter);
  for (const auto& [left, right] : merges)
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      if (tokens[i - 1] != left || tokens[i] != right) continue;
      tokens[i - 1] += right;
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i));
      steps.push_back(joined(tokens));
    }
  return steps;
}

void check(const Merges& merges, const std::string& word) {
  using Candidate = std::pair<int, int>;
  const auto right = [](const Candidate& a, const Candidate& b) { return a < b; };
  const auto leftmost = [](const Candidate& a, const Candidate& b) { return a.second < b.second; };
  const auto rightmost = [](const Candidate& a, const Candidate& b) {
    return std::pair(a.first, -a.second) < std::pair(b.first, -b.second);
  };
  const auto highest = [](const Candidate& a, const Candidate& b) {
    return std::pair(-a.first, a.second) < std::pair(-b.first, b.second);
  };
  expect_equal<Words>(
      "the merges of \"" + word + "\"", steps_of_reader(merges, word), merged(merges, word, right),
      {{merged(merges, word, leftmost), "the leftmost pair was merged; the lowest rank comes first"},
       {merged(merges, word, rightmost),
        "of equal ranks the rightmost was merged; it is the leftmost's turn"},
       {merged(merges, word, highest), "the highest rank was merged first; rank 0 is the most urgent one"},
       {swept(merges, word),
        "the list of merges was gone through once; after every merge all pairs of the "
        "word must be looked at again"}});
}

TEST_CASE("the lowest rank comes first, wherever it stands") {
  check({{"b", "c"}, {"a", "b"}}, "abc");
  check({{"c", "d"}, {"a", "b"}, {"b", "c"}, {"ab", "cd"}}, "abcd");
}

TEST_CASE("of equal ranks the leftmost") {
  check({{"a", "a"}}, "aaa");
  check({{"a", "a"}, {"aa", "aa"}}, "aaaaa");
}

TEST_CASE("after every merge all pairs are looked at again") {
  check({{"ab", "c"}, {"a", "b"}, {"abc", "d"}}, "abcd");
  check({{"c", "d"}, {"ab", "e"}, {"a", "b"}, {"e", "cd"}}, "abecd");
}

TEST_CASE("a word without a listed pair has no steps") {
  check({{"a", "b"}}, "ba");
  check({{"a", "b"}}, "e");
  check({{"a", "b"}}, "");
}

TEST_CASE("many words") {
  const Merges merges = {{"a", "b"}, {"b", "a"},   {"ab", "ab"}, {"c", "ab"},  {"ba", "c"}, {"abab", "d"},
                         {"d", "d"}, {"dd", "dd"}, {"a", "a"},   {"e", "cab"}, {"dd", "e"}};
  unsigned state = 7;
  for (std::size_t length = 1; length < 40; ++length) {
    std::string word;
    while (word.size() < length) {
      state = state * 1664525u + 1013904223u;
      word += static_cast<char>('a' + (state >> 24) % 5);
    }
    check(merges, word);
  }
}

TEST_CASE("a step says where it was and what it did") {
  const BpeModel model = make_model({{"b", "c"}, {"a", "bc"}});
  const std::vector<MergeStep> steps = model.merge_steps("eabc");
  expect_equal<std::size_t>("the number of steps", steps.size(), 2);
  const auto numbers = [](const MergeStep& s) {
    return std::vector<Index>{s.position, s.rank, s.left, s.right, s.result};
  };
  expect_equal<std::vector<Index>>("position, rank, left, right and result of the first", numbers(steps[0]),
                                   {2, 0, 1, 2, 5});
  expect_equal<std::vector<Index>>("position, rank, left, right and result of the second", numbers(steps[1]),
                                   {1, 1, 0, 5, 6});
}

}  // namespace
}  // namespace llm::grading
