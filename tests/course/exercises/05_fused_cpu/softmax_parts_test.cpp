#include "chapters/05_fused_cpu/step_5_attention.h"
#include "tests/course/exercises/05_fused_cpu/counting_kernels.h"
#include "tests/course/exercises/05_fused_cpu/noise.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

constexpr Index kDim = 3;

// Scores of some keys, and their values [keys, kDim].
struct Keys {
  std::vector<double> scores;
  std::uint64_t seed = 0;
  double value(std::size_t key, Index d) const {
    return static_cast<double>(noise(seed, static_cast<Index>(key) * kDim + d));
  }
};

double largest_of(const Keys& keys) { return *std::max_element(keys.scores.begin(), keys.scores.end()); }

// One query's part, as attention over these keys alone makes it.
struct Part {
  Tensor<float, 2> sums = Tensor<float, 2>({1, kDim});
  SoftmaxPart softmax;
  explicit Part(const Keys& keys) {
    sums.fill(0);
    if (keys.scores.empty()) return;
    const double largest = largest_of(keys);
    double sum = 0;
    for (std::size_t key = 0; key < keys.scores.size(); ++key) {
      const double e = std::exp(keys.scores[key] - largest);
      sum += e;
      for (Index d = 0; d < kDim; ++d) sums.view()(0, d) += static_cast<float>(e * keys.value(key, d));
    }
    softmax = {static_cast<float>(largest), static_cast<float>(sum)};
  }
  AttentionPart view() { return {sums.view(), &softmax}; }
};

using Values = std::vector<double>;

// What comes of the parts if each is multiplied by factor(its largest score).
template <class Factor>
Values combined(const std::vector<Keys>& parts, Factor factor) {
  Values out(kDim);
  double sum = 0;
  for (const Keys& keys : parts) {
    if (keys.scores.empty()) continue;
    const double largest = largest_of(keys);
    for (std::size_t key = 0; key < keys.scores.size(); ++key) {
      const double e = factor(largest) * std::exp(keys.scores[key] - largest);
      sum += e;
      for (Index d = 0; d < kDim; ++d) out[static_cast<std::size_t>(d)] += e * keys.value(key, d);
    }
  }
  for (double& value : out) value /= sum;
  return out;
}

// The reader's: the first part with each other one added to it.
Values by_reader(const std::vector<Keys>& parts) {
  Part all(parts[0]);
  for (std::size_t p = 1; p < parts.size(); ++p) add_part(Part(parts[p]).view(), all.view());
  Values out;
  for (Index d = 0; d < kDim; ++d)
    out.push_back(static_cast<double>(all.sums.view()(0, d)) / static_cast<double>(all.softmax.sum));
  return out;
}

void check(const std::string& what, const std::vector<Keys>& parts) {
  double top = -1e30, last = 0;
  for (const Keys& keys : parts)
    if (!keys.scores.empty()) {
      top = std::max(top, largest_of(keys));
      last = largest_of(keys);
    }
  const Values got = by_reader(parts);
  bool is_number = true;
  for (const double value : got) is_number = is_number && std::isfinite(value);
  expect_true(what + ": the result is a number", is_number,
              "NaN or infinity: exp() of a score, or of the wrong difference, is beyond float32. "
              "exp(largest of a part - largest of both) never is");
  expect_close(
      what, got, combined(parts, [&](double largest) { return std::exp(largest - top); }), 1e-4,
      {{combined(parts, [](double) { return 1.0; }),
        last < top
            ? "a part was not scaled down although the other one has the larger score"
            : "the parts were added as they are, but each is relative to a largest score of its own"}});
}

TEST_CASE("two parts with the same largest score") {
  check("largest 1 and 1", {{{0.5, 1.0, -2.0}, 1}, {{1.0, 0.25}, 2}});
}

TEST_CASE("the larger score in the second part, or in the first") {
  check("largest 1 and 2.5", {{{1.0, 0.25}, 5}, {{0.5, 2.5, -2.0}, 6}});
  check("largest 2.5 and 1", {{{0.5, 2.5, -2.0}, 3}, {{1.0, 0.25}, 4}});
}

TEST_CASE("three parts, one key each") { check("scores 1, 3, 2", {{{1.0}, 7}, {{3.0}, 8}, {{2.0}, 9}}); }

TEST_CASE("a query that sees no key of a part") {
  check("none in the second", {{{-7.0, -6.0}, 10}, {{}, 11}});
  check("none in the first", {{{}, 12}, {{-7.0, -6.0}, 13}, {{-5.0}, 14}});
}

TEST_CASE("scores of 10,000 and of -10,000") {
  check("all large", {{{1e4, 9999.0}, 15}, {{9998.5, 1e4}, 16}});
  check("all small", {{{-1e4, -9999.0}, 17}, {{-9998.5, -1e4}, 18}});
  check("small, then large", {{{-1e4, -9999.0}, 19}, {{1e4, 9999.5}, 20}});
  check("large, then small", {{{1e4, 9999.5}, 21}, {{-1e4, -9999.0}, 22}});
  check("none, then small", {{{}, 23}, {{-1e4, -9999.0}, 24}});
}

TEST_CASE("a query for itself") {
  Tensor<float, 2> first = noise_tensor<2>({2, kDim}, 25), second = noise_tensor<2>({2, kDim}, 26);
  std::vector<SoftmaxPart> one = {{1, 2}, {-3, 1}}, two = {{0, 1}, {4, 3}};
  add_part({second.view(), two.data()}, {first.view(), one.data()});
  expect_close("the largest scores of two queries", std::vector<float>{one[0].largest, one[1].largest},
               std::vector<float>{1, 4}, 0);
  expect_close("the sums of two queries",
               std::vector<double>{static_cast<double>(one[0].sum), static_cast<double>(one[1].sum)},
               std::vector<double>{2 + std::exp(-1.0), std::exp(-7.0) + 3}, 1e-5);
}

}  // namespace
}  // namespace llm::grading
