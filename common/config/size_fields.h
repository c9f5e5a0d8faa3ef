// The sizes of a model, each with the largest value that we believe in.
#pragma once

#include <span>
#include <string_view>

#include "common/config/model_config.h"

namespace llm {

// Bounds far above any model there is, and low enough that the products of sizes cannot overflow.
struct SizeField {
  std::string_view name;
  Index ModelConfig::*member;
  Index max;
};

inline std::span<const SizeField> size_fields() {
  static constexpr SizeField kFields[] = {
      {"vocab_size", &ModelConfig::vocab_size, Index{1} << 24},
      {"hidden_size", &ModelConfig::hidden_size, Index{1} << 18},
      {"intermediate_size", &ModelConfig::intermediate_size, Index{1} << 20},
      {"num_hidden_layers", &ModelConfig::num_hidden_layers, 4096},
      {"num_attention_heads", &ModelConfig::num_attention_heads, 4096},
      {"num_key_value_heads", &ModelConfig::num_key_value_heads, 4096},
      {"head_dim", &ModelConfig::head_dim, 8192},
      {"max_position_embeddings", &ModelConfig::max_position_embeddings, Index{1} << 31},
  };
  return kFields;
}

}  // namespace llm
