#include "chapters/02_naive_loop/layers.h"

#include <cmath>

#include "chapters/02_naive_loop/each_row.h"
#include "common/tensor/matmul.h"

namespace llm {
namespace {

// x . x with eight running sums: more exact than one, and the compiler can use vector registers.
float sum_of_squares(View<const float, 1> x) {
  constexpr Index kLanes = 8;
  const float* values = x.begin();
  float sums[kLanes] = {};
  Index i = 0;
  for (; i + kLanes <= x.size(); i += kLanes)
    for (Index lane = 0; lane < kLanes; ++lane) sums[lane] += values[i + lane] * values[i + lane];
  for (; i < x.size(); ++i) sums[i % kLanes] += values[i] * values[i];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

}  // namespace

void linear(View<const float, 2> x, const Linear& layer, View<float, 2> out) {
  matmul(x, float_matrix(layer.weight), out);
  if (layer.bias.empty()) return;
  each_row(out.shape(0), out.shape(1), [&](Index n) {
    const View<float, 1> row = out[n];
    for (Index i = 0; i < row.size(); ++i) row[i] += layer.bias[i];
  });
}

void rms_norm(View<const float, 2> x, View<const float, 1> weight, double eps, View<float, 2> out) {
  const Index D = x.shape(1);
  // --8<-- [start:ex02-1]
  each_row(x.shape(0), D, [&](Index n) {
    const float mean = sum_of_squares(x[n]) / static_cast<float>(D);
    const float scale = 1.0f / std::sqrt(mean + static_cast<float>(eps));
    const float* from = x[n].begin();
    const float* gain = weight.begin();
    float* to = out[n].begin();
    for (Index i = 0; i < D; ++i) to[i] = gain[i] * (from[i] * scale);
  });
  // --8<-- [end:ex02-1]
}

void swiglu(View<float, 2> gate, View<const float, 2> up) {
  each_row(gate.shape(0), gate.shape(1), [&](Index n) {
    float* g = gate[n].begin();
    const float* u = up[n].begin();
    for (Index i = 0; i < gate.shape(1); ++i) g[i] = g[i] / (1.0f + std::exp(-g[i])) * u[i];
  });
}

void add(View<float, 2> hidden, View<const float, 2> delta) {
  each_row(hidden.shape(0), hidden.shape(1), [&](Index n) {
    float* h = hidden[n].begin();
    const float* d = delta[n].begin();
    for (Index i = 0; i < hidden.shape(1); ++i) h[i] += d[i];
  });
}

}  // namespace llm
