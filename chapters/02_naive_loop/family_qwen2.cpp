// Qwen2 and Qwen2.5: a bias on queries, keys and values, always. Source: transformers' Qwen2DecoderLayer.
#include "chapters/02_naive_loop/families.h"

namespace llm {

const Family kQwen2Family = {
    "qwen2", [](const ModelConfig& config, const std::string& prefix, WeightLoader& load) {
      DecoderLayer layer;
      load_norms(config, prefix, load, layer);
      load_attention(config, prefix, /*qkv_bias=*/true, /*output_bias=*/false, load, layer);
      load_mlp(config, prefix, /*bias=*/false, load, layer);
      return layer;
    }};

}  // namespace llm
