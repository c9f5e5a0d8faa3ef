// Llama 2 and 3, SmolLM2. Source: transformers' LlamaDecoderLayer.
#include "chapters/02_naive_loop/families.h"

namespace llm {

const Family kLlamaFamily = {
    "llama", [](const ModelConfig& config, const std::string& prefix, WeightLoader& load) {
      DecoderLayer layer;
      load_norms(config, prefix, load, layer);
      load_attention(config, prefix, config.attention_bias, config.attention_bias, load, layer);
      load_mlp(config, prefix, config.mlp_bias, load, layer);
      return layer;
    }};

}  // namespace llm
