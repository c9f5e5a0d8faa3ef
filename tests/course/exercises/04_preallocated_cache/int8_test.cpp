#include <cmath>
#include <limits>

#include "chapters/04_preallocated_cache/kv_quantize.h"
#include "common/base/rng.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Values = std::vector<float>;

Values noise(std::size_t count, std::uint64_t seed, double size) {
  const RngKey key{.seed = seed, .sequence = 0, .position = 0, .purpose = RngPurpose::kTest};
  Values values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(size * (2 * uniform(key, static_cast<std::uint32_t>(i)) - 1)));
  return values;
}

struct Group {
  float scale = 0;
  std::vector<int> codes = {};
};

Group quantized_by_reader(const Values& values, int max_code = 127) {
  std::vector<std::int8_t> codes(values.size(), 99);
  Group group{quantize_group(values, max_code, codes)};
  group.codes.assign(codes.begin(), codes.end());
  return group;
}

double largest(const Values& values) {
  double result = 0;
  for (const float value : values) result = std::max(result, std::abs(static_cast<double>(value)));
  return result;
}

// The nearest codes for a scale, or those cut off towards 0.
std::vector<int> codes_for(const Values& values, double scale, int max_code, bool cut = false) {
  std::vector<int> codes;
  for (const float value : values) {
    const double exact = static_cast<double>(value) / scale;
    codes.push_back(
        std::clamp(static_cast<int>(cut ? std::trunc(exact) : std::round(exact)), -max_code, max_code));
  }
  return codes;
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-4 * std::abs(b); }

void check(const std::string& what, const Values& values, int max_code = 127) {
  const Group group = quantized_by_reader(values, max_code);
  const double right = largest(values) / max_code, got = static_cast<double>(group.scale);
  double most_positive = 0;
  for (const float value : values) most_positive = std::max(most_positive, static_cast<double>(value));
  expect_true(
      what + ": the scale is " + show(got) + ", expected " + show(right) + " or a little more",
      got >= right * (1 - 1e-7) && close(got, right),
      close(got, largest(values) / (max_code + 1))
          ? "divided by max_code + 1: then the largest number would need a code that is not there"
      : close(got, most_positive / max_code)
          ? "the sign was not left out: the largest magnitude counts, and here a negative number has it"
      : close(got, 1 / right) ? "that is 1 over the scale"
                              : "");
  expect_equal<std::vector<int>>(
      what + ": the codes", group.codes, codes_for(values, got, max_code),
      {{codes_for(values, got, max_code, /*cut=*/true),
        "codes were cut off, not rounded: the error is up to a whole scale instead of half of one"}});
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    worst = std::max(worst, std::abs(got * group.codes[i] - static_cast<double>(values[i])));
  expect_true(what + ": no number is off by more than half a scale", worst <= got / 2 * (1 + 1e-6));
}

TEST_CASE("the largest number gets the largest code, and the others their share") {
  check("five numbers", {0.5f, -0.25f, 1.27f, 0.004f, -0.9f});
  check("64 numbers", noise(64, 1, 3));
}

TEST_CASE("the largest may be negative") {
  check("-3 is the largest", {0.5f, -3.0f, 1.3f, 0.021f, 2.2f});
  check("all are negative", {-0.5f, -0.25f, -1.0f, -0.7f});
}

TEST_CASE("an outlier makes the others coarse, and no worse") {
  Values values = noise(64, 2, 0.1);
  values[17] = -40;
  check("one of 64 is 400 times as large", values);
}

TEST_CASE("7 for int4") { check("32 numbers in codes of -7 to 7", noise(32, 3, 2), 7); }

TEST_CASE("zeros stay zeros") {
  const Group group = quantized_by_reader({0, 0, -0.0f, 0});
  expect_equal<float>("the scale", group.scale, 0.0f);
  expect_equal<std::vector<int>>("the codes", group.codes, {0, 0, 0, 0});
}

TEST_CASE("what is no number has no scale") {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const Group group = quantized_by_reader({1, 2, bad, 3});
    expect_true("the scale of a group with " + show(bad) + " is NaN", std::isnan(group.scale),
                "NaN or an infinity was given a code: whoever reads it takes it for a number");
  }
}

TEST_CASE("scale * code is exact, so that it becomes the same code again") {
  for (std::uint64_t seed = 10; seed < 30; ++seed) {
    const Group once = quantized_by_reader(noise(64, seed, 5));
    Values back;
    for (const int code : once.codes) {
      back.push_back(once.scale * static_cast<float>(code));
      expect_true(show(once.scale) + " * " + std::to_string(code) + " is exact in float32",
                  static_cast<double>(back.back()) == static_cast<double>(once.scale) * code,
                  "the scale has all its 24 bits, so that scale * code must be rounded: round_up() it");
    }
    const Group twice = quantized_by_reader(back);
    expect_true("the scale is the same to the last bit, " + show(once.scale), twice.scale == once.scale);
    expect_equal<std::vector<int>>("the codes", twice.codes, once.codes);
  }
}

}  // namespace
}  // namespace llm::grading
