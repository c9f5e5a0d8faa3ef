// The small operations between the products. Compiled once per instruction set.
#include <cmath>

#include "chapters/05_fused_cpu/exp.h"
#include "chapters/05_fused_cpu/kernel_parts.h"

namespace llm::LLM_ISA {

// --8<-- [start:rms_norm]
void rms_norm(const RmsNorm& norm) {
  const auto [x, weight, out, size, eps] = norm;
  // --8<-- [start:ex05-2]
  Floats sums = zero();
  Index i = 0;
  for (; i + kLanes <= size; i += kLanes) sums = fma(load(x + i), load(x + i), sums);
  float squares = sum(sums);
  for (; i < size; ++i) squares += x[i] * x[i];
  const float scale = 1.0f / __builtin_sqrtf(squares / static_cast<float>(size) + eps);
  for (i = 0; i + kLanes <= size; i += kLanes)
    store(out + i, mul(load(weight + i), mul(load(x + i), all(scale))));
  for (; i < size; ++i) out[i] = weight[i] * (x[i] * scale);
  // --8<-- [end:ex05-2]
}
// --8<-- [end:rms_norm]

void swiglu(float* gate, const float* up, Index count) {
  const auto silu_times = [](Floats g, Floats u) __attribute__((always_inline)) {
    return mul(divide(g, add(all(1), exp(sub(zero(), g)))), u);
  };
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) store(gate + i, silu_times(load(gate + i), load(up + i)));
  if (i == count) return;
  float g[kLanes] = {}, u[kLanes] = {};
  for (Index rest = i; rest < count; ++rest) g[rest - i] = gate[rest], u[rest - i] = up[rest];
  store(g, silu_times(load(g), load(u)));
  for (; i < count; ++i) gate[i] = g[i % kLanes];
}

// --8<-- [start:softmax_part]
SoftmaxPart exponentials(float* scores, Index count) {
  float largest = scores[0];
  for (Index i = 1; i < count; ++i) largest = scores[i] > largest ? scores[i] : largest;
  Floats sums = zero();
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Floats e = exp(sub(load(scores + i), all(largest)));
    store(scores + i, e);
    sums = add(sums, e);
  }
  float total = sum(sums);
  if (i < count) {
    float rest[kLanes];
    for (Index r = 0; r < kLanes; ++r) rest[r] = i + r < count ? scores[i + r] - largest : 0.0f;
    store(rest, exp(load(rest)));
    for (Index r = 0; i < count; ++i, ++r) total += scores[i] = rest[r];
  }
  return {largest, total};
}
// --8<-- [end:softmax_part]

}  // namespace llm::LLM_ISA
