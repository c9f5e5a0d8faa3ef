#include <set>

#include "chapters/01_tokenizer/pair_merging.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Texts = std::vector<std::pair<std::string, Index>>;  // a word and how often it occurs
using Ids = std::vector<Token>;
using Pairs = std::vector<TokenPair>;

constexpr const char* kOncePerWord =
    "a pair was counted once for each different word; a word counts as often as it "
    "occurs";
constexpr const char* kHigherIds =
    "of equally frequent pairs the one with the higher ids was taken; the lower left "
    "id wins, then the lower right id";
constexpr const char* kOverlap = "a token was used twice: after a merge go on behind both tokens";
constexpr const char* kFirstOnly = "only the first place in a word was merged; all places are";

std::vector<TrainingWord> to_words(const Texts& texts) {
  std::vector<TrainingWord> words;
  for (const auto& [text, count] : texts) {
    words.push_back({{}, count});
    for (const char letter : text) words.back().tokens.push_back(letter);
  }
  return words;
}

// Training by the book, with a set of pairs and a list of all neighbours; each flag is a mistake.
struct Oracle {
  bool once_per_word = false, higher_ids = false, overlap = false, first_only = false;

  Index frequency(const std::vector<TrainingWord>& words, const TokenPair& pair) const {
    Index sum = 0;
    for (const auto& word : words)
      for (auto at = word.tokens.begin(); at != word.tokens.end(); ++at)
        if (*at == pair.first && at + 1 != word.tokens.end() && at[1] == pair.second)
          sum += once_per_word ? 1 : word.count;
    return sum;
  }

  std::pair<TokenPair, Index> choose(const std::vector<TrainingWord>& words) const {
    std::set<TokenPair> pairs;
    for (const auto& word : words)
      for (std::size_t i = 1; i < word.tokens.size(); ++i) pairs.insert({word.tokens[i - 1], word.tokens[i]});
    std::pair<TokenPair, Index> best{};
    for (const auto& pair : pairs) {
      const Index now = frequency(words, pair);
      if (now > best.second || (higher_ids && now == best.second)) best = {pair, now};
    }
    return best;
  }

  Ids merge(const Ids& tokens, const TokenPair& pair, Token merged) const {
    Ids out;
    bool done = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool both = !done && i + 1 != tokens.size() && TokenPair(tokens[i], tokens[i + 1]) == pair;
      out.push_back(both ? merged : tokens[i]);
      if (both && !overlap) ++i;
      done = both && first_only;
    }
    return out;
  }

  Pairs train(std::vector<TrainingWord> words, int merges) const {
    Pairs order;
    for (int i = 0; i < merges; ++i) {
      const auto [pair, count] = choose(words);
      if (count == 0) break;
      order.push_back(pair);
      for (auto& word : words) word.tokens = merge(word.tokens, pair, 256 + i);
    }
    return order;
  }
};

std::optional<TokenPair> step(std::vector<TrainingWord> words, Index min_count = 1) {
  return merge_most_frequent(words, min_count, 256);
}

std::optional<TokenPair> step_of(const Oracle& oracle, const std::vector<TrainingWord>& words) {
  return oracle.choose(words).first;
}

// The first word after the step that merges `pair`, which stands in an own word often enough to be chosen.
Ids merged_by_reader(const std::string& text, const std::string& pair) {
  std::vector<TrainingWord> words = to_words({{text, 1}, {pair, 100}});
  merge_most_frequent(words, 1, 256);
  return words.at(0).tokens;
}

void check_merging(const std::string& text, const std::string& pair) {
  const Ids tokens = to_words({{text, 1}})[0].tokens;
  const auto merged = [&](const Oracle& oracle) { return oracle.merge(tokens, {pair[0], pair[1]}, 256); };
  expect_equal<Ids>("\"" + text + "\" after \"" + pair + "\" became 256", merged_by_reader(text, pair),
                    merged({}),
                    {{merged({.overlap = true}), kOverlap},
                     {merged({.first_only = true}), kFirstOnly},
                     {tokens, "the word has its old tokens: the pair was not merged"}});
}

Pairs trained_by_reader(std::vector<TrainingWord> words, int merges) {
  Pairs order;
  for (int i = 0; i < merges; ++i)
    if (const auto pair = merge_most_frequent(words, 1, 256 + i)) order.push_back(*pair);
  return order;
}

TEST_CASE("a pair in a word counts as often as the word occurs") {
  const auto words = to_words({{"abd", 1}, {"abe", 1}, {"abf", 1}, {"cd", 4}});
  expect_equal<std::optional<TokenPair>>("the most frequent pair", step(words), TokenPair{'c', 'd'},
                                         {{step_of({.once_per_word = true}, words), kOncePerWord}});
}

TEST_CASE("of equals the lower left id, then the lower right id") {
  const auto words = to_words({{"xy", 5}, {"bz", 5}, {"ba", 5}, {"c", 9}});
  expect_equal<std::optional<TokenPair>>(
      "the most frequent pair", step(words), TokenPair{'b', 'a'},
      {{step_of({.higher_ids = true}, words), kHigherIds},
       {TokenPair{'x', 'y'},
        "of equally frequent pairs the first in the texts was taken; the lower left id "
        "wins, then the lower right id"}});
}

TEST_CASE("\"aaa\" has the pair twice") {
  expect_equal<std::optional<TokenPair>>(
      "the most frequent pair", step(to_words({{"aaa", 2}, {"bc", 3}})), TokenPair{'a', 'a'},
      {{TokenPair{'b', 'c'}, "\"aaa\" was counted as one pair; the neighbours 1, 2 and 2, 3 are two"}});
}

TEST_CASE("a word is merged from the left, no token twice") {
  for (const std::string text : {"aaa", "aaaa", "baaab", "ababa", "a", "aabaaa"}) check_merging(text, "aa");
}

TEST_CASE("all places of a word are merged") {
  for (const std::string text : {"abcabab", "ab", "ba", "b", "aabb"}) check_merging(text, "ab");
}

TEST_CASE("what is too rare is not merged") {
  std::vector<TrainingWord> words = to_words({{"ab", 4}, {"a", 7}, {"", 2}});
  expect_equal<std::optional<TokenPair>>(
      "the pair, of 5 occurrences at least", merge_most_frequent(words, 5, 256), std::nullopt,
      {{TokenPair{'a', 'b'}, "a pair that occurs less often than min_count was merged"}});
  expect_equal<Ids>("the word \"ab\" afterwards", words.at(0).tokens, {'a', 'b'},
                    {{{256}, "the words were changed although no pair occurs min_count times"}});
  expect_equal<std::optional<TokenPair>>("the pair, of 4 occurrences at least", step(words, 4),
                                         TokenPair{'a', 'b'});
  expect_equal<std::optional<TokenPair>>("the pair of no words", step({}), std::nullopt);
}

TEST_CASE("50 merges") {
  const Texts texts = {{"low", 5},     {"lower", 2},    {"newest", 6},  {"widest", 3},     {"banana", 4},
                       {"bananas", 2}, {"wow", 7},      {"aaargh", 3},  {"hmmmm", 2},      {"hm", 8},
                       {"west", 5},    {"eastward", 2}, {"onward", 3},  {"wander", 6},     {"wonder", 4},
                       {"nation", 3},  {"notion", 5},   {"station", 2}, {"assist", 3},     {"assess", 4},
                       {"tattoo", 2},  {"zoo", 6},      {"zzz", 5},     {"mississippi", 3}};
  const auto words = to_words(texts);
  expect_equal<Pairs>("the merges in their order", trained_by_reader(words, 50), Oracle{}.train(words, 50),
                      {{Oracle{.once_per_word = true}.train(words, 50), kOncePerWord},
                       {Oracle{.higher_ids = true}.train(words, 50), kHigherIds},
                       {Oracle{.overlap = true}.train(words, 50), kOverlap},
                       {Oracle{.first_only = true}.train(words, 50), kFirstOnly}});
}

}  // namespace
}  // namespace llm::grading
