#include "common/config/tensor_specs.h"

#include <string>
#include <string_view>

namespace llm {
namespace {

// One layer; V, D, F and the heads as in ModelConfig.
void add_layer(const ModelConfig& config, Index layer, std::vector<TensorSpec>& specs) {
  const Index hidden = config.hidden_size;
  const Index queries = config.num_attention_heads * config.head_dim;
  const Index keys = config.num_key_value_heads * config.head_dim;
  const std::string prefix = "model.layers." + std::to_string(layer) + ".";
  const auto add = [&](const std::string& name, std::vector<Index> shape) {
    specs.push_back({prefix + name, std::move(shape)});
  };
  const auto add_linear = [&](const std::string& name, Index rows, Index cols, bool bias) {
    add(name + ".weight", {rows, cols});
    if (bias) add(name + ".bias", {rows});
  };

  add("input_layernorm.weight", {hidden});
  add_linear("self_attn.q_proj", queries, hidden, config.qkv_bias());
  add_linear("self_attn.k_proj", keys, hidden, config.qkv_bias());
  add_linear("self_attn.v_proj", keys, hidden, config.qkv_bias());
  add_linear("self_attn.o_proj", hidden, queries, config.output_bias());
  if (config.qk_norm()) {
    add("self_attn.q_norm.weight", {config.head_dim});
    add("self_attn.k_norm.weight", {config.head_dim});
  }
  add("post_attention_layernorm.weight", {hidden});
  add_linear("mlp.gate_proj", config.intermediate_size, hidden, config.mlp_bias);
  add_linear("mlp.up_proj", config.intermediate_size, hidden, config.mlp_bias);
  add_linear("mlp.down_proj", hidden, config.intermediate_size, config.mlp_bias);
}

}  // namespace

std::vector<TensorSpec> tensor_specs(const ModelConfig& config) {
  std::vector<TensorSpec> specs;
  specs.push_back({"model.embed_tokens.weight", {config.vocab_size, config.hidden_size}});
  for (Index layer = 0; layer < config.num_hidden_layers; ++layer) add_layer(config, layer, specs);
  specs.push_back({"model.norm.weight", {config.hidden_size}});
  if (!config.tie_word_embeddings)
    specs.push_back({"lm_head.weight", {config.vocab_size, config.hidden_size}});
  return specs;
}

Index num_parameters(const ModelConfig& config) {
  Index total = 0;
  for (const TensorSpec& spec : tensor_specs(config)) {
    Index elements = 1;
    for (const Index extent : spec.shape) elements *= extent;
    total += elements;
  }
  return total;
}

}  // namespace llm
