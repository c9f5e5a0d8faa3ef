// Qwen3: the query and the key of each head are normalised before they are rotated (QK-norm).
// Source: transformers' Qwen3DecoderLayer.
#include "chapters/02_naive_loop/families.h"

namespace llm {

const Family kQwen3Family = {
    "qwen3", [](const ModelConfig& config, const std::string& prefix, WeightLoader& load) {
      DecoderLayer layer;
      load_norms(config, prefix, load, layer);
      load_attention(config, prefix, config.attention_bias, config.attention_bias, load, layer);
      layer.q_norm = load.vector(prefix + "self_attn.q_norm.weight", config.head_dim, "head_dim");
      layer.k_norm = load.vector(prefix + "self_attn.k_norm.weight", config.head_dim, "head_dim");
      load_mlp(config, prefix, /*bias=*/false, load, layer);
      return layer;
    }};

}  // namespace llm
