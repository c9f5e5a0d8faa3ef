// Model families: which weights a layer has. A new family is one file and one row of the table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "chapters/02_naive_loop/decoder_layer.h"
#include "chapters/02_naive_loop/weight_loader.h"
#include "common/config/model_config.h"

namespace llm {

struct Family {
  std::string_view model_type;  // as in config.json
  // All weights of one layer. prefix: "model.layers.3."
  DecoderLayer (*load_layer)(const ModelConfig& config, const std::string& prefix, WeightLoader& load);
};

extern const Family kLlamaFamily;  // family_llama.cpp
extern const Family kQwen2Family;  // family_qwen2.cpp
extern const Family kQwen3Family;  // family_qwen3.cpp

std::span<const Family* const> families();

// Errors: kUnsupported for a model_type that is not in the table.
const Family& find_family(const std::string& model_type);

// The parts that the families share: each loads what it says into `layer`.
void load_norms(const ModelConfig& config, const std::string& prefix, WeightLoader& load,
                DecoderLayer& layer);
void load_attention(const ModelConfig& config, const std::string& prefix, bool qkv_bias, bool output_bias,
                    WeightLoader& load, DecoderLayer& layer);
void load_mlp(const ModelConfig& config, const std::string& prefix, bool bias, WeightLoader& load,
              DecoderLayer& layer);

}  // namespace llm
