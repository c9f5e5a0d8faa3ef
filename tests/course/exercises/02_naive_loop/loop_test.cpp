#include "chapters/02_naive_loop/greedy.h"
#include "tests/course/exercises/02_naive_loop/fake_model.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Rows = std::vector<Tokens>;

constexpr Token kEnd = 7, kOtherEnd = 9;
constexpr Index kVocab = 64;

// The fake model ends a row when it has as many tokens as its first token says; before, it counts: a row of
// four tokens is followed by token 34.
Token next_token(const Tokens& row) {
  const auto size = static_cast<Token>(row.size());
  return size + 1 < row[0] ? 30 + size : row[0] % 2 == 0 ? kEnd : kOtherEnd;
}

FakeModel make_model() {
  return {kVocab, [](const Tokens& row) {
            std::vector<float> scores(kVocab, -1.0f);
            scores[static_cast<std::size_t>(next_token(row))] = 2.0f;
            return scores;
          }};
}

struct Run {
  Rows new_tokens;
  std::vector<std::string> reasons;
  Index forwards = 0, positions = 0;
};

// What the loop gives; each flag is a mistake.
struct Oracle {
  bool drop_end = false, stop_at_first = false, stop_at_all_equal = false, compute_ended = false;

  Run operator()(const Rows& prompts, Index limit, const Tokens& ends) const {
    Run run{Rows(prompts.size()), std::vector<std::string>(prompts.size(), "length")};
    Rows rows = prompts;
    for (Index step = 0; step < limit; ++step) {
      std::size_t ended_now = 0;
      bool any = false;
      for (std::size_t b = 0; b < rows.size(); ++b) {
        const bool closed = run.reasons[b] == "eos";
        if (closed && !stop_at_all_equal) {
          run.positions += compute_ended ? static_cast<Index>(rows[b].size()) : 0;
          continue;
        }
        run.positions += static_cast<Index>(rows[b].size());
        any = true;
        const Token next = next_token(rows[b]);
        rows[b].push_back(next);
        const bool end = std::find(ends.begin(), ends.end(), next) != ends.end();
        if (!end || !drop_end) run.new_tokens[b].push_back(next);
        if (end) run.reasons[b] = "eos";
        ended_now += end;
      }
      if (!any) break;
      ++run.forwards;
      if (stop_at_first && ended_now > 0) break;
      if (stop_at_all_equal && ended_now == rows.size()) break;
    }
    return run;
  }
};

void check(const Rows& prompts, Index limit, const Tokens& ends) {
  FakeModel model = make_model();
  const GreedyResult result = greedy(model, prompts, limit, ends);
  const Run right = Oracle{}(prompts, limit, ends);
  const auto tokens = [&](const Oracle& mistake) { return mistake(prompts, limit, ends).new_tokens; };
  expect_equal<Rows>("the new tokens", result.new_tokens, right.new_tokens,
                     {{tokens({.drop_end = true}),
                       "the end token was dropped; it belongs to the result, as in transformers"},
                      {tokens({.stop_at_first = true}), "all rows stopped when one ended; the others go on"},
                      {tokens({.stop_at_all_equal = true}),
                       "rows that had ended went on: the loop waited for a step in which all "
                       "end at once"}});
  std::vector<std::string> reasons;
  for (const FinishReason reason : result.finish_reason) reasons.emplace_back(finish_reason_name(reason));
  expect_equal<std::vector<std::string>>("the finish reasons", reasons, right.reasons);
  expect_equal<Index>("the forward passes that the model ran", model.forwards(), right.forwards,
                      {{right.forwards + 1,
                        "there is one forward pass too many: nothing is to be predicted after "
                        "the last token"}});
  expect_equal<Index>("the positions that the model computed", model.positions(), right.positions,
                      {{Oracle{.compute_ended = true}(prompts, limit, ends).positions,
                        "rows that had ended were computed on; take them out of the batch"}});
  Index new_tokens = 0;
  for (const Tokens& row : right.new_tokens) new_tokens += static_cast<Index>(row.size());
  expect_equal<Index>("the positions whose logits were asked for", model.judged(), new_tokens,
                      {{right.positions,
                        "the logits of all positions were asked for; only the last one's say what "
                        "comes next"}});
  expect_equal<Index>("result.forwards", result.forwards, right.forwards);
  expect_equal<Index>("result.positions", result.positions, right.positions);
}

TEST_CASE("one row: a forward pass for each new token") {
  check({{60, 1, 2}}, 5, {kEnd});
  check({{60, 1, 2}}, 1, {kEnd});
}

TEST_CASE("the end token ends the row and is kept") {
  check({{6, 1, 2}}, 10, {kEnd, kOtherEnd});
  check({{5, 1, 2}}, 10, {kEnd, kOtherEnd});
  check({{4, 1, 2}}, 10, {kEnd});
}

TEST_CASE("every row of a batch ends for itself") {
  check({{8, 1}, {5, 1, 1}, {60, 1, 1, 1}}, 9, {kEnd, kOtherEnd});
  check({{6, 1, 1, 1}, {9, 2}, {8, 3, 3}}, 20, {kEnd, kOtherEnd});
}

TEST_CASE("no end tokens, no new tokens, an end token of another model") {
  check({{4, 1}, {6, 1}}, 3, {});
  check({{8, 1}}, 0, {kEnd});
  check({{4, 1}, {9, 1, 1}}, 3, {50});
}

}  // namespace
}  // namespace llm::grading
