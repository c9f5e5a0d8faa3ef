// What is drawn against the exact law: all texts of three tokens of a tiny model, by the chi-square test. The
// law comes from definitions of the filters that are written down here a second time, in double and slowly.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "chapters/07_sampling/processors.h"
#include "chapters/07_sampling/token_chooser.h"
#include "common/cli/report.h"

namespace llm {
namespace {

constexpr Index V = 6;
using Law = std::vector<double>;  // [V^3]
using Row = std::vector<double>;  // [V], log-probabilities or scores; minus infinity: banned

// The model: scores that depend on all tokens so far.
std::vector<float> model_scores(std::span<const Token> ids) {
  std::uint64_t state = 17;
  for (const Token id : ids) state = state * 1099511628211u + static_cast<std::uint64_t>(id) + 1;
  std::vector<float> scores;
  for (Index v = 0; v < V; ++v)
    scores.push_back(static_cast<float>(
        5 * uniform({.seed = state, .purpose = RngPurpose::kTest}, static_cast<std::uint32_t>(v))));
  return scores;
}

Row probabilities(const Row& scores) {
  const double largest = *std::ranges::max_element(scores);
  Row p;
  for (const double score : scores) p.push_back(std::exp(score - largest));
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) x /= total;
  return p;
}

double entropy(const Row& p) {
  double sum = 0;
  for (const double x : p) sum -= x > 0 ? x * std::log(x) : 0;
  return sum;
}

// Token numbers in the order of falling `value`.
std::vector<std::size_t> order_of(const Row& value) {
  std::vector<std::size_t> order(value.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return value[a] > value[b]; });
  return order;
}

using Keeps = std::vector<bool>;

Keeps first_ones(const std::vector<std::size_t>& order, std::size_t count) {
  Keeps keeps(order.size(), false);
  for (std::size_t i = 0; i < count; ++i) keeps[order[i]] = true;
  return keeps;
}

// How many tokens of the order it takes until their value adds up to the mass.
std::size_t until(const std::vector<std::size_t>& order, const Row& value, double mass) {
  double sum = 0;
  std::size_t count = 0;
  while (count < order.size() && sum < mass) sum += value[order[count++]];
  return std::max<std::size_t>(count, 1);
}

// A filter's definition: which tokens stay, given their probabilities.
Keeps kept_by(const std::string& name, double value, const Row& p) {
  const auto order = order_of(p);
  if (name == "top_k") return first_ones(order, std::min(p.size(), static_cast<std::size_t>(value)));
  if (name == "top_p") return first_ones(order, until(order, p, value));
  Keeps keeps(p.size());
  if (name == "typical_p") {
    Row nearness;
    for (const double x : p) nearness.push_back(x > 0 ? -std::abs(-std::log(x) - entropy(p)) : -1e300);
    const auto typical = order_of(nearness);
    return first_ones(typical, until(typical, p, value));
  }
  if (name == "top_h") {
    Row terms;
    for (const double x : p) terms.push_back(x > 0 ? -x * std::log(x) : 0);
    std::size_t count = 0;
    for (double sum = 0; count < p.size() && sum + terms[order[count]] <= value * entropy(p); ++count)
      sum += terms[order[count]];
    return first_ones(order, std::max<std::size_t>(count, 1));
  }
  const double eta = std::min(value, std::sqrt(value) * std::exp(-entropy(p)));
  const double limit = name == "min_p" ? value * p[order[0]] : name == "eta_cutoff" ? eta : value;
  for (std::size_t v = 0; v < p.size(); ++v) keeps[v] = p[v] >= limit || v == order[0];
  return keeps;
}

using Steps = std::vector<std::pair<std::string, double>>;  // in transformers' order

Row exact_row(std::span<const Token> ids, const Steps& steps) {
  Row scores;
  for (const float score : model_scores(ids)) scores.push_back(score);
  for (const auto& [name, value] : steps) {
    if (name == "temperature") {
      for (double& score : scores) score /= value;
    } else if (name == "repetition_penalty") {
      for (std::size_t v = 0; v < scores.size(); ++v)
        if (std::ranges::count(ids, static_cast<Token>(v)))
          scores[v] = scores[v] > 0 ? scores[v] / value : scores[v] * value;
    } else {
      const Keeps keeps = kept_by(name, value, probabilities(scores));
      for (std::size_t v = 0; v < scores.size(); ++v)
        if (!keeps[v]) scores[v] = -INFINITY;
    }
  }
  return probabilities(scores);
}

std::size_t cell(Token a, Token b, Token c) { return static_cast<std::size_t>((a * V + b) * V + c); }

Law exact_law(const Steps& steps) {
  Law law(static_cast<std::size_t>(V * V * V));
  for (Token a = 0; a < V; ++a)
    for (Token b = 0; b < V; ++b)
      for (Token c = 0; c < V; ++c) {
        const std::vector<Token> ids = {0, a, b};
        law[cell(a, b, c)] = exact_row(std::span(ids).first(1), steps)[static_cast<std::size_t>(a)] *
                             exact_row(std::span(ids).first(2), steps)[static_cast<std::size_t>(b)] *
                             exact_row(ids, steps)[static_cast<std::size_t>(c)];
      }
  return law;
}

std::vector<Index> draws(const Steps& steps, Index texts, std::uint64_t seed) {
  GenerationConfig config;
  config.do_sample = true;
  config.top_k = 0;
  for (const auto& [name, value] : steps)
    set_generation_field(
        config, name, name == "top_k" ? std::to_string(static_cast<int>(value)) : std::to_string(value), "t");
  const LogitsProcessorList list =
      make_processors(config, {.prompt_length = 1, .max_length = 4, .vocab_size = V});
  std::vector<Index> counts(static_cast<std::size_t>(V * V * V));
  for (Index i = 0; i < texts; ++i) {
    std::vector<Token> ids = {0};
    TokenChooser chooser(
        {.processors = list, .do_sample = true, .seed = seed, .sequence = static_cast<std::uint32_t>(i)}, ids,
        0, 3);
    for (int step = 0; step < 3; ++step) {
      const std::vector<float> scores = model_scores(ids);
      chooser.take({scores.data(), {V}});
      ids.push_back(chooser.choose_next());
    }
    ++counts[cell(ids[1], ids[2], ids[3])];
  }
  return counts;
}

struct ChiSquare {
  double statistic = 0;
  double freedom = 0;
  double limit = 0;      // five standard deviations above the mean
  Index impossible = 0;  // draws of what has probability 0
};

// Cells of which fewer than 5 draws are expected count as one.
ChiSquare compare(const std::vector<Index>& counts, const Law& law) {
  const auto n = static_cast<double>(std::accumulate(counts.begin(), counts.end(), Index{0}));
  ChiSquare result;
  double rare = 0, rare_expected = 0;
  int cells = 0;
  const auto add = [&](double count, double expected) {
    result.statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    if (law[i] == 0)
      result.impossible += counts[i];
    else if (n * law[i] >= 5)
      add(count, n * law[i]);
    else
      rare += count, rare_expected += n * law[i];
  }
  if (rare_expected > 1) add(rare, rare_expected);
  result.freedom = std::max(cells - 1, 1);
  result.limit = result.freedom + 5 * std::sqrt(2 * result.freedom);
  return result;
}

// How probable so large a statistic is, or a larger one (Wilson and Hilferty 1931).
double p_value(const ChiSquare& result) {
  const double width = 2 / (9 * result.freedom);
  const double z = (std::cbrt(result.statistic / result.freedom) - (1 - width)) / std::sqrt(width);
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

const std::vector<Steps> kCases = {
    {},
    {{"temperature", 0.5}},
    {{"temperature", 1.7}},
    {{"top_k", 3}},
    {{"top_p", 0.7}},
    {{"min_p", 0.25}},
    {{"typical_p", 0.6}},
    {{"epsilon_cutoff", 0.12}},
    {{"eta_cutoff", 0.3}},
    {{"top_h", 0.6}},
    {{"repetition_penalty", 1.8}},
    {{"temperature", 0.7}, {"top_k", 4}, {"top_p", 0.8}},
    {{"repetition_penalty", 1.1}, {"temperature", 0.7}, {"top_k", 5}, {"top_p", 0.8}},
    {{"temperature", 1.3}, {"min_p", 0.1}},
    {{"top_k", 5}, {"typical_p", 0.8}},
    {{"temperature", 2.0}, {"top_p", 0.9}, {"min_p", 0.2}, {"eta_cutoff", 0.2}},
};

TEST_CASE("texts of three tokens come as often as the exact law says") {
  constexpr Index kTexts = 20000;
  Table table({"seed", "filter", "draws", "chi-square", "freedom", "p"});
  std::uint64_t seed = 0;  // another one each time: else the same uniform numbers would judge all filters
  for (const Steps& steps : kCases) {
    ++seed;
    std::string name;
    for (const auto& [filter, value] : steps)
      name += fmt::format("{}{} {}", name.empty() ? "" : ", ", filter, value);
    if (name.empty()) name = "none";
    CAPTURE(name);
    const ChiSquare result = compare(draws(steps, kTexts, seed), exact_law(steps));
    CHECK(result.impossible == 0);
    CHECK(result.statistic < result.limit);
    table.add_row({std::to_string(seed), name, human_count(3 * kTexts),
                   fmt::format("{:.1f}", result.statistic), fmt::format("{:.0f}", result.freedom),
                   fmt::format("{:.2f}", p_value(result))});
  }
  MESSAGE(table.text());
}

TEST_CASE("the test would notice a filter that is a little wrong") {
  constexpr Index kTexts = 20000;
  const auto noticed = [&](const Steps& drawn, const Steps& law) {
    const ChiSquare result = compare(draws(drawn, kTexts, 2026), exact_law(law));
    return result.impossible > 0 || !(result.statistic < result.limit);
  };
  CHECK(noticed({{"top_k", 3}}, {{"top_k", 2}}));
  CHECK(noticed({{"top_k", 2}}, {{"top_k", 3}}));
  CHECK(noticed({{"temperature", 1.05}}, {}));
  CHECK(noticed({{"top_p", 0.7}}, {{"top_p", 0.9}}));
  CHECK(noticed({{"repetition_penalty", 1.8}}, {{"repetition_penalty", 1.6}}));
}

}  // namespace
}  // namespace llm
