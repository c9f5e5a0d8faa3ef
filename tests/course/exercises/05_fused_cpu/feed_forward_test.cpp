#include "chapters/05_fused_cpu/step_4_fused.h"
#include "tests/course/exercises/05_fused_cpu/counting_kernels.h"
#include "tests/course/exercises/05_fused_cpu/noise.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

// 70 rows of gate and up are two whole panels and one of 6 rows.
constexpr Index kN = 3, kD = 40, kF = 70;
constexpr float kEps = 1e-3f;
constexpr Index kPanels = (kF + kPanelRows - 1) / kPanelRows;

Weight weight_of(const Tensor<float, 2>& values) {
  return {DType::kF32, values.view().shape(0), values.view().shape(1),
          reinterpret_cast<const std::byte*>(values.data())};
}

struct Mlp {
  Tensor<float, 2> gate = noise_tensor<2>({kF, kD}, 1), up = noise_tensor<2>({kF, kD}, 2);
  Tensor<float, 2> down = noise_tensor<2>({kD, kF}, 3, 0, 0.3f), hidden = noise_tensor<2>({kN, kD}, 4);
  Tensor<float, 1> norm = noise_tensor<1>({kD}, 5, 1, 0.4f), bias = noise_tensor<1>({kF}, 6);
  bool has_bias = false;

  // hidden after the block, and what was counted meanwhile.
  Tensor<float, 2> by_reader() {
    DecoderLayer layer;
    layer.gate_proj.weight = weight_of(gate);
    layer.up_proj.weight = weight_of(up);
    layer.down_proj.weight = weight_of(down);
    if (has_bias) layer.gate_proj.bias = layer.up_proj.bias = bias.view();
    FusedOperators operators({.num_threads = 1});
    Tensor<float, 2> result = hidden.clone();
    counts = {};
    operators.feed_forward(layer, {norm.view(), kEps}, result.view());
    return result;
  }

  struct Steps {
    bool swapped = false, normed = true, residual = true;
  };
  Tensor<float, 2> expected() { return expected(Steps()); }
  Tensor<float, 2> expected(Steps steps) {
    Tensor<float, 2> result = hidden.clone();
    for (Index n = 0; n < kN; ++n) {
      std::vector<double> x, between;
      double squares = 0;
      for (Index d = 0; d < kD; ++d) squares += number(hidden, n, d) * number(hidden, n, d);
      const double root = std::sqrt(squares / kD + static_cast<double>(kEps));
      for (Index d = 0; d < kD; ++d)
        x.push_back(number(hidden, n, d) * (steps.normed ? static_cast<double>(norm.view()[d]) / root : 1));
      for (Index f = 0; f < kF; ++f) {
        double g = has_bias ? static_cast<double>(bias.view()[f]) : 0, u = g;
        for (Index d = 0; d < kD; ++d) {
          g += number(gate, f, d) * x[static_cast<std::size_t>(d)];
          u += number(up, f, d) * x[static_cast<std::size_t>(d)];
        }
        if (steps.swapped) std::swap(g, u);
        between.push_back(g / (1 + std::exp(-g)) * u);
      }
      for (Index d = 0; d < kD; ++d) {
        double sum = steps.residual ? number(hidden, n, d) : 0;
        for (Index f = 0; f < kF; ++f) sum += number(down, d, f) * between[static_cast<std::size_t>(f)];
        result.view()(n, d) = static_cast<float>(sum);
      }
    }
    return result;
  }

 private:
  static double number(const Tensor<float, 2>& tensor, Index row, Index column) {
    return static_cast<double>(tensor.view()(row, column));
  }
};

void check(Mlp mlp) {
  expect_close(
      "hidden after the MLP of three tokens", mlp.by_reader().view(), mlp.expected().view(), 1e-3,
      {{mlp.expected({.swapped = true}).view(), "SwiGLU has gate and up the wrong way round"},
       {mlp.expected({.normed = false}).view(), "hidden was multiplied as it is, without the norm"},
       {mlp.expected({.residual = false}).view(), "the residual is gone: the result is added to hidden"}});
}

TEST_CASE("the numbers are those of the MLP") { check({}); }

TEST_CASE("with biases, too") {
  Mlp mlp;
  mlp.has_bias = true;
  check(std::move(mlp));
}

TEST_CASE("the norm once for each token") {
  Mlp().by_reader();
  expect_equal<Index>("rows that were normalized, of three tokens", counts.norms, kN,
                      {{kN * kPanels, "the norm was computed for each panel again: once, before, is enough"},
                       {2 * kN, "the norm was computed for gate and for up: one row serves both"}});
}

TEST_CASE("SwiGLU while its numbers are near") {
  Mlp().by_reader();
  expect_true("the most numbers that SwiGLU was given at once are " + std::to_string(counts.most_swiglu) +
                  ", expected at most " + std::to_string(kN * kPanelRows),
              counts.most_swiglu <= kN * kPanelRows,
              "SwiGLU came after all panels: its numbers have left the cache, and are read a second time");
}

TEST_CASE("the threads meet twice") {
  Mlp().by_reader();
  expect_equal<Index>(
      "meetings of the threads", counts.meetings, 2,
      {{3, "gate and up are two passes: a panel of each fits into one body of each_panel()"}});
}

}  // namespace
}  // namespace llm::grading
