#include "chapters/03_kv_cache/cached_greedy.h"
#include "tests/course/exercises/03_kv_cache/fake_cache.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Rows = std::vector<Tokens>;

constexpr Token kEnd = 7;
constexpr Index kVocab = 512;

// A text ends when it has as many tokens as its first one says. Before, the next token depends on all that
// the cache holds, positions too.
Token next_token(const Tokens& tokens, const Positions& positions) {
  if (static_cast<Index>(tokens.size()) + 1 >= tokens[0]) return kEnd;
  Index hash = 5;
  for (std::size_t i = 0; i < tokens.size(); ++i) hash = (hash * 31 + tokens[i] * 7 + positions[i] * 3) % 400;
  return static_cast<Token>(100 + hash);
}

// What the loop gives. Mistakes: the text so far is fed again and again, on top of what the cache holds;
// there is a pass after the last token; rows that have ended are fed on; the rows that go on are taken for
// the cache's first.
struct Oracle {
  bool feed_all = false, one_more = false, feed_ended = false, first_rows = false;

  struct Run {
    Rows new_tokens;
    std::vector<std::string> reasons;
    Index forwards = 0, positions = 0;
  };
  Run operator()(const Rows& prompts, Index limit) const {
    Run run{Rows(prompts.size()), std::vector<std::string>(prompts.size(), "length")};
    Rows cached(prompts.size()), texts = prompts;
    std::vector<Positions> positions(prompts.size());
    const auto feed = [&](std::size_t b, const Tokens& tokens) {
      for (const Token token : tokens) {
        positions[b].push_back(static_cast<Index>(cached[b].size()));
        cached[b].push_back(token);
        ++run.positions;
      }
    };
    for (Index step = 0; step < limit + (one_more ? 1 : 0); ++step) {
      bool any = false;
      std::size_t row = 0;  // of the batch
      for (std::size_t b = 0; b < prompts.size(); ++b) {
        const bool ended = run.reasons[b] == "eos";
        any = any || !ended;
        if (ended && feed_ended) ++run.positions;
        if (ended) continue;
        const std::size_t to = first_rows ? row++ : b;
        feed(to, step == 0 || feed_all ? texts[b] : Tokens{texts[b].back()});
        if (step == limit) continue;
        texts[b].push_back(next_token(cached[to], positions[to]));
        run.new_tokens[b].push_back(texts[b].back());
        if (texts[b].back() == kEnd) run.reasons[b] = "eos";
      }
      if (!any) break;
      ++run.forwards;
    }
    return run;
  }
};

void check(const Rows& prompts, Index limit, std::optional<Index> chunk = {}) {
  FakeCache cache{Rows(prompts.size())};
  FakeCachedModel model(kVocab, next_token);
  const Tokens ends = {kEnd};
  const GreedyResult result = cached_greedy(model, cache, prompts, limit, ends, chunk);
  const Oracle::Run right = Oracle{}(prompts, limit);
  const auto mistake = [&](const Oracle& oracle) { return oracle(prompts, limit); };
  expect_equal<Rows>(
      "the new tokens", result.new_tokens, right.new_tokens,
      {{mistake({.first_rows = true}).new_tokens,
        "row i of the batch is row i of the cache only while all go on: open says which rows it has"},
       {mistake({.feed_all = true}).new_tokens,
        "the whole text was fed again, on top of what the cache holds; feed the newest token only"}});
  expect_equal<Index>("the positions that the model computed", model.computed, right.positions,
                      {{mistake({.one_more = true}).positions,
                        "one forward pass too many: nothing is to be predicted after the last token"},
                       {mistake({.feed_ended = true}).positions,
                        "rows that had ended were fed on; leave them out of the batch"}});
  std::vector<std::string> reasons;
  for (const FinishReason reason : result.finish_reason) reasons.emplace_back(finish_reason_name(reason));
  expect_equal<std::vector<std::string>>("the finish reasons", reasons, right.reasons);
  Rows held;
  for (std::size_t b = 0; b < prompts.size(); ++b) {
    held.push_back(prompts[b]);
    held.back().insert(held.back().end(), right.new_tokens[b].begin(), right.new_tokens[b].end() - 1);
  }
  expect_equal<Rows>("what the cache holds: all but each row's last token", cache.tokens, held);
  const Index pieces = chunk ? (static_cast<Index>(prompts[0].size()) + *chunk - 1) / *chunk : 1;
  expect_equal<Index>("the forward passes", model.forwards, right.forwards - 1 + pieces);
  expect_equal<Index>("result.forwards", result.forwards, model.forwards);
  expect_equal<Index>("result.positions", result.positions, right.positions);
}

TEST_CASE("5 tokens and 64 new ones: 68 positions") {
  check({{200, 11, 12, 13, 14}}, 64);
  check({{200, 11, 12, 13, 14}}, 1);
  check({{200, 11, 12, 13, 14}}, 2);
}

TEST_CASE("an end token ends the row and is kept") {
  check({{8, 1, 2}}, 20);
  check({{4, 1, 2}}, 20);
}

TEST_CASE("a row that has ended leaves the batch") {
  check({{6, 1}, {300, 2, 3}, {9, 4, 5, 6}}, 12);
  check({{12, 1, 2}, {4, 3, 4}, {300, 5, 6, 7, 8}, {8, 9}}, 15);
  check({{4, 1, 2}, {4, 3, 4}}, 5);
}

TEST_CASE("a prompt in pieces") { check({{100, 11, 12, 13, 14, 15, 16}}, 9, 3); }

}  // namespace
}  // namespace llm::grading
