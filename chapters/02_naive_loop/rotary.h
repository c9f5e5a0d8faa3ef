// Rotary position embedding: a query and a key are turned by angles that grow with their positions, so that
// their product depends on the distance between them.
// Source: Su et al. 2021, "RoFormer"; transformers' LlamaRotaryEmbedding and modeling_rope_utils.py (5.23).
#pragma once

#include <span>
#include <vector>

#include "common/config/rope_parameters.h"
#include "common/tensor/view.h"

namespace llm {

// How fast each of the Dh/2 slots turns, in radians a position: theta^(-2i/Dh), then stretched by the type:
// - linear: all divided by factor (Chen et al. 2023);
// - llama3: slow slots divided by factor, fast ones kept, a smooth change between them;
// - yarn: likewise, with a linear ramp over the slots' numbers (Peng et al. 2023).
// In float32, operation by operation as transformers does it. head_dim: even.
std::vector<float> inverse_frequencies(const RopeParameters& rope, Index head_dim);

// What cosines and sines are multiplied with: 1, or yarn's correction for longer contexts.
float attention_scaling(const RopeParameters& rope);

class RotaryEmbedding {
 public:
  RotaryEmbedding(std::vector<float> frequencies, float scaling)
      : frequencies_(std::move(frequencies)), scaling_(scaling) {}

  // The cosines and sines of position * frequency, in float32. cosines, sines: [N, Dh/2].
  void angles(std::span<const Index> positions, View<float, 2> cosines, View<float, 2> sines) const;

  Index half_dim() const { return static_cast<Index>(frequencies_.size()); }

 private:
  std::vector<float> frequencies_;  // [Dh/2]
  float scaling_;
};

// Turns heads in place: x[n, h, i] and x[n, h, i + Dh/2] are the two coordinates of slot i. This is the
// half-split layout of Hugging Face's files; the original Llama pairs 2i with 2i + 1 instead.
// x: [N, heads, Dh]; cosines, sines: [N, Dh/2].
void rotate(View<float, 3> x, View<const float, 2> cosines, View<const float, 2> sines);

}  // namespace llm
