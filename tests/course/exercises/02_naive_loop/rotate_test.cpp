#include <complex>

#include "chapters/02_naive_loop/rotary.h"
#include "tests/course/exercises/02_naive_loop/noise.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

constexpr Index kHeads = 3, kDim = 10, kHalf = kDim / 2;

double angle(Index position, Index slot) {
  return static_cast<double>(position) * std::pow(10000.0, -static_cast<double>(slot) / kHalf);
}

Tensor<float, 3> rotated_by_reader(View<const float, 3> x, const std::vector<Index>& positions) {
  Tensor<float, 3> copy(x.shape());
  std::copy_n(x.data(), x.size(), copy.data());
  Tensor<float, 2> cosines({x.shape(0), kHalf}), sines({x.shape(0), kHalf});
  for (Index n = 0; n < x.shape(0); ++n)
    for (Index i = 0; i < kHalf; ++i) {
      cosines(n, i) = static_cast<float>(std::cos(angle(positions[static_cast<std::size_t>(n)], i)));
      sines(n, i) = static_cast<float>(std::sin(angle(positions[static_cast<std::size_t>(n)], i)));
    }
  rotate(copy, cosines, sines);
  return copy;
}

// A slot is a complex number, which is multiplied by e^(i angle). Each flag is a mistake, but for
// `interleaved`, which is also the layout of Meta's own files.
struct Oracle {
  bool interleaved = false, backwards = false, overwritten = false, first_head_only = false;

  Tensor<double, 3> operator()(View<const float, 3> x, const std::vector<Index>& positions) const {
    Tensor<double, 3> out(x.shape());
    for (Index i = 0; i < x.size(); ++i) out.data()[i] = x.data()[i];
    for (Index n = 0; n < x.shape(0); ++n)
      for (Index h = 0; h < (first_head_only ? 1 : x.shape(1)); ++h)
        for (Index i = 0; i < kHalf; ++i) {
          const Index one = interleaved ? 2 * i : i, two = interleaved ? 2 * i + 1 : i + kHalf;
          const double turn = angle(positions[static_cast<std::size_t>(n)], i) * (backwards ? -1 : 1);
          const auto z = std::complex<double>(x(n, h, one), x(n, h, two)) * std::polar(1.0, turn);
          out(n, h, one) = z.real();
          out(n, h, two) = overwritten ? x(n, h, two) * std::cos(turn) + z.real() * std::sin(turn) : z.imag();
        }
    return out;
  }
};

void check(std::string_view what, View<const float, 3> x, const std::vector<Index>& positions) {
  const auto oracle = [&](const Oracle& mistake) { return internal::Numbers(mistake(x, positions).view()); };
  expect_close(
      what, rotated_by_reader(x, positions).view(), oracle({}), 1e-5,
      {{oracle({.interleaved = true}),
        "the pairs are (0, 1), (2, 3), ...: that is the interleaved layout; here i goes with i + Dh/2"},
       {oracle({.backwards = true}), "the slots turn backwards: the signs of the two sines are exchanged"},
       {oracle({.overwritten = true}),
        "the second number was computed from the first one's new value; keep both old values before you "
        "write"},
       {oracle({.first_head_only = true}), "only the first head of a token was turned; all of them are"}});
}

TEST_CASE("position 0 turns nothing") {
  const auto x = noise_tensor<3>({1, kHeads, kDim}, 1);
  check("a token at position 0", x, {0});
}

TEST_CASE("position 100 turns the half-split pairs") {
  const auto x = noise_tensor<3>({1, kHeads, kDim}, 2);
  check("a token at position 100", x, {100});
}

TEST_CASE("each token turns by its own position") {
  const auto x = noise_tensor<3>({4, kHeads, kDim}, 3);
  check("tokens at positions 7, 0, 1 and 100", x, {7, 0, 1, 100});
}

TEST_CASE("a head in Meta's layout gives the same once it is put in order") {
  const auto meta = noise_tensor<3>({2, kHeads, kDim}, 4);
  const std::vector<Index> positions = {3, 100};
  const Tensor<double, 3> turned = Oracle{.interleaved = true}(meta, positions);
  Tensor<float, 3> split(meta.shape());
  Tensor<double, 3> expected(meta.shape());
  for (Index n = 0; n < 2; ++n)
    for (Index h = 0; h < kHeads; ++h)
      for (Index i = 0; i < kDim; ++i) {
        const Index from = i < kHalf ? 2 * i : 2 * (i - kHalf) + 1;
        split(n, h, i) = meta(n, h, from);
        expected(n, h, i) = turned(n, h, from);
      }
  expect_close("0, 2, 4, ... and then 1, 3, 5, ... of each head", rotated_by_reader(split, positions).view(),
               expected.view(), 1e-5);
}

TEST_CASE("a query and a key feel their distance only") {
  const auto x = noise_tensor<3>({2, 1, kDim}, 5);  // a query and a key
  const auto product = [&](Index query, Index key) {
    const Tensor<float, 3> turned = rotated_by_reader(x, {query, key});
    double sum = 0;
    for (Index i = 0; i < kDim; ++i) sum += turned(0, 0, i) * turned(1, 0, i);
    return sum;
  };
  expect_close("the product at positions 103 and 100", product(103, 100), product(3, 0), 1e-5);
}

}  // namespace
}  // namespace llm::grading
