#include "chapters/02_naive_loop/layers.h"
#include "tests/course/exercises/02_naive_loop/noise.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// In double precision; each flag is a mistake.
struct Oracle {
  bool subtract_mean = false, eps_outside = false, weight_plus_one = false, no_mean = false;
  bool norm_of_all_rows = false;

  Tensor<double, 2> operator()(View<const float, 2> x, View<const float, 1> weight, double eps) const {
    const Index N = x.shape(0), D = x.shape(1);
    Tensor<double, 2> out({N, D});
    for (Index n = 0; n < N; ++n) {
      double mean = 0, squares = 0;
      for (Index i = 0; i < D; ++i) mean += subtract_mean ? x(n, i) / static_cast<double>(D) : 0;
      for (Index m = 0; m < N; ++m)
        for (Index i = 0; i < D; ++i)
          if (m == n || norm_of_all_rows) squares += std::pow(x(m, i) - mean, 2);
      if (!no_mean) squares /= static_cast<double>(norm_of_all_rows ? N * D : D);
      const double root = eps_outside ? std::sqrt(squares) + eps : std::sqrt(squares + eps);
      for (Index i = 0; i < D; ++i)
        out(n, i) = (x(n, i) - mean) / root * (weight[i] + (weight_plus_one ? 1 : 0));
    }
    return out;
  }
};

void check(std::string_view what, View<const float, 2> x, View<const float, 1> weight, double eps) {
  const auto oracle = [&](const Oracle& mistake) {
    return internal::Numbers(mistake(x, weight, eps).view());
  };
  Tensor<float, 2> out(x.shape(), kNaN);
  rms_norm(x, weight, eps, out);
  expect_close(
      what, out.view(), oracle({}), 2e-5,
      {{oracle({.subtract_mean = true}), "the mean was subtracted: that is LayerNorm; RMSNorm divides only"},
       {oracle({.no_mean = true}), "the squares were summed and not divided by D: it is their mean"},
       {oracle({.weight_plus_one = true}), "1 was added to the weight: Gemma does so, these models do not"},
       {oracle({.norm_of_all_rows = true}),
        "one root was taken over all rows: each token is normalised for itself"},
       {oracle({.eps_outside = true}), "eps was added to the root; it belongs under it: sqrt(mean + eps)"}});
}

TEST_CASE("each row is divided by its own root mean square") {
  const auto x = noise_tensor<2>({3, 13}, 1, 0.4f, 1.5f);
  const auto weight = noise_tensor<1>({13}, 2, 0.9f, 0.5f);
  check("three tokens of 13 numbers", x, weight, 1e-6);
  check("a token of one number", noise_tensor<2>({2, 1}, 3, 2.0f), noise_tensor<1>({1}, 4, 1.0f), 1e-6);
}

TEST_CASE("eps is added under the root") {
  const auto x = noise_tensor<2>({2, 9}, 5, 0.0005f, 0.001f);
  check("numbers of the size of eps", x, noise_tensor<1>({9}, 6, 1.0f, 0.5f), 1e-5);
  const Tensor<float, 2> zeros({1, 9}, 0.0f);
  check("zeros", zeros, noise_tensor<1>({9}, 7, 1.0f, 0.5f), 1e-5);
}

TEST_CASE("out may be x itself") {
  auto x = noise_tensor<2>({4, 21}, 8, 0.2f, 3.0f);
  const auto weight = noise_tensor<1>({21}, 9, 1.0f, 0.3f);
  const Tensor<double, 2> expected = Oracle{}(x, weight, 1e-5);
  rms_norm(x, weight, 1e-5, x);
  expect_close("four tokens in place", x.view(), expected.view(), 2e-5);
}

}  // namespace
}  // namespace llm::grading
