#include "chapters/03_kv_cache/new_tokens.h"
#include "tests/course/exercises/03_kv_cache/fake_cache.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

constexpr Index kVocab = 997;

// Depends on every token and its position.
Token next_token(const Tokens& tokens, const Positions& positions) {
  Index hash = 1;
  for (std::size_t i = 0; i < tokens.size(); ++i) hash = (hash * 31 + tokens[i] * 7 + positions[i]) % kVocab;
  return static_cast<Token>(hash);
}

std::vector<Tokens> prompts_of(const std::vector<Index>& lengths) {
  std::vector<Tokens> prompts;
  for (const Index length : lengths) {
    prompts.emplace_back();
    for (Index i = 0; i < length; ++i)
      prompts.back().push_back(static_cast<Token>(100 * static_cast<Index>(prompts.size()) + i));
  }
  return prompts;
}

// What a row's cache holds after pieces of the whole text so far, each from its first token on.
Tokens fed_again(const Tokens& prompt, Index chunk) {
  Tokens all;
  const auto size = static_cast<Index>(prompt.size());
  for (Index end = std::min(chunk, size);; end = std::min(end + chunk, size)) {
    all.insert(all.end(), prompt.begin(), prompt.begin() + end);
    if (end == size) return all;
  }
}

// What the cache holds if the rows of a piece go to its first rows, although shorter ones before them still
// wait.
std::vector<Tokens> unnamed(const std::vector<Tokens>& prompts, Index chunk, std::vector<Tokens> cached) {
  Index columns = 0;
  for (const Tokens& prompt : prompts) columns = std::max(columns, static_cast<Index>(prompt.size()));
  for (Index begin = 0; begin < columns; begin += chunk) {
    std::size_t row = 0;
    for (const Tokens& prompt : prompts) {
      const Index padding = columns - static_cast<Index>(prompt.size());
      const Index from = std::max(begin, padding) - padding;
      const Index to = std::min(begin + chunk, columns) - padding;
      if (to <= from) continue;
      cached[row].insert(cached[row].end(), prompt.begin() + from, prompt.begin() + to);
      ++row;
    }
  }
  return cached;
}

void check(const std::vector<Index>& lengths, std::optional<Index> chunk, std::vector<Tokens> before = {}) {
  const std::vector<Tokens> prompts = prompts_of(lengths);
  if (before.empty()) before.resize(lengths.size());
  FakeCache cache(before);
  FakeCachedModel model(kVocab, next_token);
  const std::vector<std::span<const Token>> spans(prompts.begin(), prompts.end());
  std::string what = "prompts of";
  for (const Index length : lengths) what += " " + std::to_string(length);
  what += chunk ? " tokens in pieces of " + std::to_string(*chunk) : " tokens at once";

  const Tokens best = prefill(model, cache, spans, chunk).argmax();
  std::vector<Tokens> right = before, again = before, cut_short = before;
  for (std::size_t b = 0; b < prompts.size(); ++b) {
    right[b].insert(right[b].end(), prompts[b].begin(), prompts[b].end());
    if (!chunk) continue;
    const Tokens repeated = fed_again(prompts[b], *chunk);
    again[b].insert(again[b].end(), repeated.begin(), repeated.end());
    cut_short[b] = right[b];
    const Index columns = *std::ranges::max_element(lengths);
    const Index rest = std::min(columns % *chunk, static_cast<Index>(prompts[b].size()));
    cut_short[b].resize(cut_short[b].size() - static_cast<std::size_t>(rest));
  }
  expect_equal<std::vector<Tokens>>(
      what + ": the tokens in the cache", cache.tokens, right,
      {{again,
        "each piece begins with the first token again: what is in the cache must not be fed a second time"},
       {cut_short, "the rest that is shorter than a piece was left out"},
       {unnamed(prompts, chunk.value_or(kVocab), before),
        "row b of a piece is not row b of the cache where a shorter row still waits: name the cache's "
        "rows"}});
  std::vector<Positions> positions;
  for (const Tokens& row : right) {
    positions.emplace_back();
    while (positions.back().size() < row.size())
      positions.back().push_back(static_cast<Index>(positions.back().size()));
  }
  expect_equal<std::vector<Positions>>(what + ": their positions", cache.positions, positions);

  Tokens expected;
  for (std::size_t b = 0; b < right.size(); ++b) expected.push_back(next_token(right[b], positions[b]));
  expect_equal<std::size_t>(
      what + ": rows in the scores that are returned", best.size(), expected.size(),
      {{best.size() < expected.size() ? best.size() : 0,
        "not all rows are in the last piece: with the padding on the left all end together"}});
  expect_equal<Tokens>(what + ": the best next token", best, expected);
  const Index widest = *std::ranges::max_element(lengths);
  expect_equal<Index>(what + ": columns of the widest batch", model.widest,
                      std::min(widest, chunk.value_or(widest)));
  expect_equal<Index>(what + ": forward passes", model.forwards, chunk ? (widest + *chunk - 1) / *chunk : 1);
}

TEST_CASE("a prompt at once") {
  check({7}, {});
  check({1}, {});
  check({3}, 100);
}

TEST_CASE("cut anywhere: the same scores") {
  for (const Index chunk : {1, 2, 3, 4, 6, 7, 8}) check({7}, chunk);
}

TEST_CASE("behind what the cache holds already") {
  check({6}, 4, {{1, 2, 3}});
  check({5, 5}, 2, {{1, 2, 3}, {4}});
}

TEST_CASE("rows of different lengths end together") {
  check({3, 8, 1}, {});
  for (const Index chunk : {1, 2, 3, 5, 7, 8, 9}) check({3, 8, 1}, chunk);
  for (const Index chunk : {2, 4}) check({6, 2, 5, 9}, chunk);
}

}  // namespace
}  // namespace llm::grading
