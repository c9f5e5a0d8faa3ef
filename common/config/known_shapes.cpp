#include "common/config/known_shapes.h"

#include "common/base/error.h"

namespace llm {
namespace {

struct KnownShape {
  std::string_view name;
  std::string_view model_type;
  Index vocab_size, hidden_size, intermediate_size, num_hidden_layers;
  Index num_attention_heads, num_key_value_heads, head_dim;
  Index max_position_embeddings;
  double rms_norm_eps;
  double rope_theta;
  Token bos_token_id, eos_token_id;
};

// From the config.json of Qwen/Qwen3-*, HuggingFaceTB/SmolLM2-135M-Instruct and
// meta-llama/Llama-3.2-1B. All have tied embeddings, no biases, and bfloat16 weights.
constexpr KnownShape kShapes[] = {
    // name          type       V       D     F     L   H   KH Dh   length  eps   theta  bos     eos
    {"qwen3-0.6b", "qwen3", 151936, 1024, 3072, 28, 16, 8, 128, 40960, 1e-6, 1e6, 151643, 151645},
    {"qwen3-1.7b", "qwen3", 151936, 2048, 6144, 28, 16, 8, 128, 40960, 1e-6, 1e6, 151643, 151645},
    {"qwen3-4b", "qwen3", 151936, 2560, 9728, 36, 32, 8, 128, 40960, 1e-6, 1e6, 151643, 151645},
    {"smollm2-135m", "llama", 49152, 576, 1536, 30, 9, 3, 64, 8192, 1e-5, 1e5, 1, 2},
    {"llama-3.2-1b", "llama", 128256, 2048, 8192, 16, 32, 8, 64, 131072, 1e-5, 5e5, 128000, 128001},
};

ModelConfig config_of(const KnownShape& shape) {
  ModelConfig config;
  config.model_type = shape.model_type;
  config.vocab_size = shape.vocab_size;
  config.hidden_size = shape.hidden_size;
  config.intermediate_size = shape.intermediate_size;
  config.num_hidden_layers = shape.num_hidden_layers;
  config.num_attention_heads = shape.num_attention_heads;
  config.num_key_value_heads = shape.num_key_value_heads;
  config.head_dim = shape.head_dim;
  config.max_position_embeddings = shape.max_position_embeddings;
  config.rms_norm_eps = shape.rms_norm_eps;
  config.tie_word_embeddings = true;
  config.rope_parameters.rope_theta = shape.rope_theta;
  if (shape.name == "llama-3.2-1b") {
    config.rope_parameters.rope_type = RopeType::kLlama3;
    config.rope_parameters.factor = 32.0;
    config.rope_parameters.low_freq_factor = 1.0;
    config.rope_parameters.high_freq_factor = 4.0;
    config.rope_parameters.original_max_position_embeddings = 8192;
  }
  config.layer_types.assign(static_cast<std::size_t>(shape.num_hidden_layers), LayerType::kFullAttention);
  config.bos_token_id = shape.bos_token_id;
  config.eos_token_id = {shape.eos_token_id};
  config.dtype = "bfloat16";
  validate(config, "random:" + std::string(shape.name));
  return config;
}

}  // namespace

std::vector<std::string_view> known_shapes() {
  std::vector<std::string_view> names;
  for (const KnownShape& shape : kShapes) names.push_back(shape.name);
  return names;
}

ModelConfig random_config(std::string_view name) {
  std::string names;
  for (const KnownShape& shape : kShapes) {
    if (shape.name == name) return config_of(shape);
    names += (names.empty() ? "" : ", ") + std::string(shape.name);
  }
  fail(ErrorCode::kUsage, {.where = "random:" + std::string(name),
                           .what = "unknown shape",
                           .got = "'" + std::string(name) + "'",
                           .expected = "one of " + names});
}

}  // namespace llm
