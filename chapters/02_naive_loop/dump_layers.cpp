#include "chapters/02_naive_loop/dump_layers.h"

#include <algorithm>
#include <cmath>

#include "chapters/02_naive_loop/full_batch.h"

namespace llm {
namespace {

// [T, heads*Dh] -> [1, heads, T, Dh]
NamedTensor by_heads(const std::string& name, View<const float, 2> values, Index heads) {
  const Index T = values.shape(0), Dh = values.shape(1) / heads;
  NamedTensor tensor{name, {1, heads, T, Dh}, {}};
  for (Index h = 0; h < heads; ++h)
    for (Index t = 0; t < T; ++t) {
      const float* head = values[t].begin() + h * Dh;
      tensor.values.insert(tensor.values.end(), head, head + Dh);
    }
  return tensor;
}

}  // namespace

std::vector<NamedTensor> dump_layers(Transformer& model, const std::vector<Token>& ids) {
  const ModelConfig& config = model.config();
  std::vector<NamedTensor> tensors;
  const auto keep = [&](const std::string& name, View<const float, 2> values) {
    if (name.ends_with(".q_rope"))
      tensors.push_back(by_heads(name, values, config.num_attention_heads));
    else if (name.ends_with(".k_rope"))
      tensors.push_back(by_heads(name, values, config.num_key_value_heads));
    else
      tensors.push_back(
          {name, {1, values.shape(0), values.shape(1)}, {values.data(), values.data() + values.size()}});
  };
  model.set_probe(keep);
  const View<const float, 3> logits = model.forward(FullBatch(ids).batch(), nullptr, {}).host();
  model.set_probe(nullptr);
  keep("logits", logits[0]);
  return tensors;
}

TensorSize size_of(std::span<const float> values) {
  double squares = 0, largest = 0;
  for (const float value : values) {
    squares += static_cast<double>(value) * static_cast<double>(value);
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return {std::sqrt(squares / static_cast<double>(std::max<std::size_t>(values.size(), 1))), largest};
}

}  // namespace llm
