#include <limits>

#include "chapters/05_fused_cpu/kernel_parts.h"
#include "tests/course/exercises/05_fused_cpu/noise.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Values = std::vector<float>;

constexpr Index kLanesHere = 4;  // exercises are compiled for any processor: registers of 4 floats
constexpr Index kGuard = 16;     // numbers that stand behind the row, and belong to somebody else
constexpr float kEps = 1e-3f, kBehind = 77;

Values noise_values(Index count, std::uint64_t seed, float middle) {
  Values values;
  for (Index i = 0; i < count; ++i) values.push_back(middle + noise(seed, i));
  return values;
}

// x * weight over the root of the mean of the first `summed` squares; the mean is over `size` numbers.
Values expected(const Values& x, const Values& weight, Index size, Index summed) {
  double squares = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(summed); ++i)
    squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  const double root = std::sqrt(squares / static_cast<double>(size) + static_cast<double>(kEps));
  Values out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i)
    out.push_back(static_cast<float>(static_cast<double>(x[i]) * static_cast<double>(weight[i]) / root));
  return out;
}

struct Normed {
  Values out;     // the row
  Values behind;  // what stands behind it afterwards
};

Normed by_reader(const Values& x, const Values& weight, Index size) {
  Values out(static_cast<std::size_t>(size + kGuard), kBehind);
  std::fill_n(out.begin(), size, std::numeric_limits<float>::quiet_NaN());
  baseline::rms_norm({.x = x.data(), .weight = weight.data(), .out = out.data(), .size = size, .eps = kEps});
  return {Values(out.begin(), out.begin() + size), Values(out.begin() + size, out.end())};
}

void check(Index size) {
  const Values x = noise_values(size + kGuard, 10, 2), weight = noise_values(size + kGuard, 11, 1);
  const std::string what = "a row of " + std::to_string(size);
  const Values out = by_reader(x, weight, size).out;
  Index missing = 0;
  for (const float value : out) missing += std::isnan(value);
  expect_true(what + ": " + std::to_string(missing) + " numbers of the result are missing", missing == 0,
              "the values behind the last whole register were forgotten: nobody has written their results");
  const Index whole = size / kLanesHere * kLanesHere;
  const Index more = (size + kLanesHere - 1) / kLanesHere * kLanesHere;
  expect_close(what, out, expected(x, weight, size, size), 1e-5,
               {{expected(x, weight, size, whole),
                 "the squares of the values behind the last whole register are missing in the mean"},
                {expected(x, weight, size, more),
                 "numbers behind the end of the row were read: their squares are in the mean"}});
}

TEST_CASE("rows of whole registers") {
  for (const Index size : {4, 8, 64}) check(size);
}

TEST_CASE("rows of 1 to 67 numbers") {
  for (Index size = 1; size <= 67; ++size) check(size);
}

TEST_CASE("what stands behind the result stays as it was") {
  for (Index size = 1; size <= 67; ++size) {
    const Values x = noise_values(size + kGuard, 20, 1), weight = noise_values(size + kGuard, 21, 1);
    const Values behind = by_reader(x, weight, size).behind;
    expect_true(
        "what stands behind a result of " + std::to_string(size) + " numbers",
        behind == Values(kGuard, kBehind),
        "a whole register was stored at the end of the row: that writes over what belongs to another");
  }
}

TEST_CASE("in place") {
  const Values start = noise_values(11 + kGuard, 30, 2), weight = noise_values(11 + kGuard, 31, 1);
  Values x = start;
  baseline::rms_norm({.x = x.data(), .weight = weight.data(), .out = x.data(), .size = 11, .eps = kEps});
  x.resize(11);
  expect_close("x as its own result", x, expected(start, weight, 11, 11), 1e-5);
}

}  // namespace
}  // namespace llm::grading
