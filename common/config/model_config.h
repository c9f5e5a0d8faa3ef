// The shape of a model: config.json of a Hugging Face folder, or the metadata of a GGUF file.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/types.h"
#include "common/config/rope_parameters.h"

namespace llm {

class GgufFile;

// A layer sees all earlier positions, or only the last `sliding_window` ones (itself included).
enum class LayerType { kFullAttention, kSlidingAttention };

// "full_attention", "sliding_attention".
std::string_view layer_type_name(LayerType type);

// Fields are spelt as in config.json; the letters are those of the course. Made by the functions below, all
// of which return it complete (defaults filled in as transformers 5.23 does for the family) and validated.
struct ModelConfig {
  std::string model_type;  // "llama", "qwen2" or "qwen3"

  Index vocab_size = 0;           // V: rows of the embedding table; may exceed the tokenizer's
  Index hidden_size = 0;          // D
  Index intermediate_size = 0;    // F: width of the feed-forward block
  Index num_hidden_layers = 0;    // L
  Index num_attention_heads = 0;  // H
  Index num_key_value_heads = 0;  // KH: divides H
  Index head_dim = 0;             // Dh: even; H * Dh need not be D

  std::string hidden_act = "silu";
  Index max_position_embeddings = 0;  // the longest sequence that the model was made for
  double rms_norm_eps = 1e-6;
  bool tie_word_embeddings = false;  // the head is the embedding table; a head in the file wins all the same
  bool attention_bias = false;       // as in the file; ask qkv_bias() and output_bias()
  bool mlp_bias = false;             // llama only: biases on gate_proj, up_proj and down_proj

  RopeParameters rope_parameters;

  // The window, where some layer has one; and what each of the L layers is.
  std::optional<Index> sliding_window;
  std::vector<LayerType> layer_types;

  std::optional<Token> bos_token_id;
  std::vector<Token> eos_token_id;  // one, several or none
  std::optional<Token> pad_token_id;

  std::string dtype;  // "bfloat16", ...: what the file says that its weights are, or empty

  // Odd, but nothing to stop for: one sentence each, for programs to print.
  std::vector<std::string> warnings;

  // What the family adds to the plain Llama layer.
  bool qk_norm() const { return model_type == "qwen3"; }  // RMSNorm over each head's query and key
  bool qkv_bias() const { return model_type == "qwen2" || attention_bias; }
  bool output_bias() const { return model_type != "qwen2" && attention_bias; }

  // The window of a layer; nothing where it sees everything. layer in [0, L).
  std::optional<Index> window(Index layer) const {
    if (layer_types[static_cast<std::size_t>(layer)] == LayerType::kFullAttention) return std::nullopt;
    return sliding_window;
  }

  bool operator==(const ModelConfig&) const = default;
};

// The values of model_type that the parsers take.
std::span<const std::string_view> known_model_types();

// FOLDER/config.json. Errors: kMissing if it is not there, else as model_config_from_json.
ModelConfig load_model_config(const std::filesystem::path& folder);

// The text of a config.json, in the 4.x or the 5.x layout of transformers; `name` stands for it in messages.
// Keys that concern other things than the shape are skipped. Errors name file, key, got and expected: kFormat
// (no JSON object, a wrong type), kMissing, kRange, kShape (sizes that do not fit), kUnsupported (another
// model_type, activation, rope type, quantized weights).
ModelConfig model_config_from_json(std::string_view text, const std::string& name = "config.json");

// The metadata of a GGUF file of architecture llama, qwen2 or qwen3. Errors: as above.
ModelConfig model_config_from_gguf(const GgufFile& file);

// As a config.json in the 5.x layout; model_config_from_json reads it back to an equal ModelConfig.
std::string to_json(const ModelConfig& config);

// Checks what the fields must satisfy together, for a ModelConfig built by hand. `where` begins messages.
void validate(const ModelConfig& config, const std::string& where);

}  // namespace llm
