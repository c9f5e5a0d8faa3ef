#include "chapters/02_naive_loop/classify.h"
#include "tests/course/exercises/02_naive_loop/fake_model.h"
#include "tests/course/exercises/02_naive_loop/noise.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Labels = std::vector<Tokens>;
using Numbers = std::vector<double>;

constexpr Index kVocab = 11;

// Scores without a pattern, other ones for every prefix.
std::vector<float> scores_after(const Tokens& prefix) {
  std::uint64_t seed = 5;
  for (const Token token : prefix) seed = seed * 31 + static_cast<std::uint64_t>(token) + 1;
  std::vector<float> scores(kVocab);
  for (Index v = 0; v < kVocab; ++v) scores[static_cast<std::size_t>(v)] = 4 * noise(seed, v) + 2;
  return scores;
}

// Each flag is a mistake.
struct Oracle {
  bool raw = false, own_position = false, first_only = false, mean = false, last_only = false;

  double operator()(Tokens prefix, const Tokens& label) const {
    double sum = 0;
    for (std::size_t i = 0; i < label.size(); ++i) {
      if (own_position) prefix.push_back(label[i]);
      const std::vector<float> scores = scores_after(prefix);
      if (!own_position) prefix.push_back(label[i]);
      double total = 0;
      for (const float score : scores) total += std::exp(static_cast<double>(score));
      const double score = scores[static_cast<std::size_t>(label[i])];
      if ((first_only && i > 0) || (last_only && i + 1 < label.size())) continue;
      sum += raw ? score : score - std::log(total);
    }
    return mean ? sum / static_cast<double>(label.size()) : sum;
  }

  Numbers all(const Tokens& prompt, const Labels& labels) const {
    Numbers sums;
    for (const Tokens& label : labels) sums.push_back((*this)(prompt, label));
    return sums;
  }
};

void check(std::string_view what, const Tokens& prompt, const Labels& labels) {
  FakeModel model(kVocab, scores_after);
  const auto oracle = [&](const Oracle& mistake) { return internal::Numbers(mistake.all(prompt, labels)); };
  expect_close(
      what, label_log_probabilities(model, prompt, labels), oracle({}), 1e-5,
      {{oracle({.raw = true}), "the logits themselves were summed; log_probability() makes them comparable"},
       {oracle({.own_position = true}),
        "the logits at a token's own position were taken: they are about the token "
        "behind it; take those of the position before"},
       {oracle({.first_only = true}),
        "only the first token of a label was counted; it is the sum over all of them"},
       {oracle({.last_only = true}),
        "only the last token of a label was counted; it is the sum over all of them"},
       {oracle({.mean = true}),
        "the mean over a label's tokens was taken; the probability of a text is the product "
        "of its tokens', so the logarithms are summed"}});
}

TEST_CASE("labels of one token: the logits behind the prompt") {
  check("three labels behind a prompt of four", {1, 2, 3, 4}, {{5}, {0}, {10}});
  check("two labels behind a prompt of one", {7}, {{7}, {2}});
}

TEST_CASE("a label of several tokens has the sum of their logarithms") {
  check("two labels of three tokens", {1, 2, 3}, {{4, 5, 6}, {4, 0, 6}});
}

TEST_CASE("labels of different lengths, none disturbs another") {
  check("labels of 1, 4 and 2 tokens", {3, 1, 4, 1, 5}, {{9}, {2, 6, 5, 3}, {5, 8}});
  check("labels of 2 and 1 tokens behind a prompt of one", {6}, {{1, 1}, {1}});
}

TEST_CASE("one forward pass answers for all labels") {
  FakeModel model(kVocab, scores_after);
  const Labels labels = {{9}, {2, 6, 5, 3}, {5, 8}};
  label_log_probabilities(model, {1, 2, 3}, labels);
  expect_equal<Index>(
      "the forward passes", model.forwards(), 1,
      {{3, "there was a forward pass for each label; one batch has room for all of them"},
       {7, "there was a forward pass for each token; one gives the logits of all positions"}});
  expect_true(
      "the positions computed are no more than those of the prompt and the label, less its last token",
      model.positions() <= 3 + 6 + 4,
      "the last token of a label was fed: nothing is to be predicted behind it");
}

}  // namespace
}  // namespace llm::grading
