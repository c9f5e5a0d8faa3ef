// Every intermediate result of one forward pass, to be compared with another implementation's.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "chapters/02_naive_loop/transformer.h"
#include "chapters/02_naive_loop/write_safetensors.h"

namespace llm {

// Runs the ids through the model and keeps hidden.0 (embeddings), hidden.1 .. hidden.L (after each layer),
// hidden.norm and logits, [1, T, ...], and of each layer l layer<l>.q_rope [1, H, T, Dh], .k_rope
// [1, KH, T, Dh], .attn_out and .mlp_out [1, T, D]: names and shapes of transformers' outputs.
std::vector<NamedTensor> dump_layers(Transformer& model, const std::vector<Token>& ids);

// The root of the mean square of all values, and the largest magnitude.
struct TensorSize {
  double rms = 0;
  double largest = 0;
};
TensorSize size_of(std::span<const float> values);

}  // namespace llm
