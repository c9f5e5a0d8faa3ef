// The small operations of a transformer layer. Each works on N tokens at once, one token a row.
#pragma once

#include "common/tensor/view.h"
#include "common/tensor/weight.h"

namespace llm {

// y = W x + b, as PyTorch's nn.Linear. The bias is empty where the model has none.
struct Linear {
  Weight weight;              // [out, in]
  View<const float, 1> bias;  // [out]
};

// x: [N, in], out: [N, out]. The weight is float32 here; chapter 05 computes with the other formats.
void linear(View<const float, 2> x, const Linear& layer, View<float, 2> out);

// out[n] = x[n] / sqrt(mean(x[n]^2) + eps) * weight, in float32. x, out: [N, D], may be the same; weight:
// [D]. Source: Zhang and Sennrich 2019; transformers' LlamaRMSNorm.
void rms_norm(View<const float, 2> x, View<const float, 1> weight, double eps, View<float, 2> out);

// gate = silu(gate) * up with silu(z) = z / (1 + exp(-z)). gate, up: [N, F].
// Source: Shazeer 2020, "GLU variants improve transformer" (SwiGLU).
void swiglu(View<float, 2> gate, View<const float, 2> up);

// The residual connection: hidden += delta. Both [N, D].
void add(View<float, 2> hidden, View<const float, 2> delta);

}  // namespace llm
