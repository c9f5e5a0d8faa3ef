#include "common/config/model_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/config/size_fields.h"
#include "common/io/json.h"

namespace llm {
namespace {

constexpr std::array<std::string_view, 3> kModelTypes = {"llama", "qwen2", "qwen3"};

void check_heads(const ModelConfig& config, const std::string& where) {
  if (config.num_attention_heads % config.num_key_value_heads != 0)
    fail(ErrorCode::kShape, {.where = where + ": num_key_value_heads",
                             .what = "got",
                             .got = std::to_string(config.num_key_value_heads),
                             .expected = "a number by which num_attention_heads (" +
                                         std::to_string(config.num_attention_heads) + ") is divisible"});
  if (config.head_dim % 2 != 0)
    fail(ErrorCode::kShape, {.where = where + ": head_dim",
                             .what = "got",
                             .got = std::to_string(config.head_dim),
                             .expected = "an even number (rotary embeddings turn pairs)"});
}

void check_layer_types(const ModelConfig& config, const std::string& where) {
  if (static_cast<Index>(config.layer_types.size()) != config.num_hidden_layers)
    fail(ErrorCode::kShape, {.where = where + ": layer_types",
                             .what = "got",
                             .got = std::to_string(config.layer_types.size()) + " entries",
                             .expected = std::to_string(config.num_hidden_layers) + " (num_hidden_layers)"});
  const bool slides = std::ranges::count(config.layer_types, LayerType::kSlidingAttention) > 0;
  if (slides && !config.sliding_window)
    fail(ErrorCode::kMissing, {.where = where + ": layer_types",
                               .what = "some layers are 'sliding_attention' and there is no window",
                               .remedy = "set sliding_window and use_sliding_window"});
}

void put_rope(const RopeParameters& rope, Json& json) {
  json["rope_type"] = rope_type_name(rope.rope_type);
  json["rope_theta"] = rope.rope_theta;
  if (rope.rope_type == RopeType::kDefault) return;
  json["factor"] = rope.factor;
  if (rope.rope_type == RopeType::kLinear) return;
  json["original_max_position_embeddings"] = rope.original_max_position_embeddings;
  if (rope.rope_type == RopeType::kLlama3) {
    json["low_freq_factor"] = rope.low_freq_factor;
    json["high_freq_factor"] = rope.high_freq_factor;
    return;
  }
  json["beta_fast"] = rope.beta_fast;
  json["beta_slow"] = rope.beta_slow;
  if (rope.attention_factor) json["attention_factor"] = *rope.attention_factor;
  if (rope.mscale) json["mscale"] = *rope.mscale;
  if (rope.mscale_all_dim) json["mscale_all_dim"] = *rope.mscale_all_dim;
  json["truncate"] = rope.truncate;
}

Json id_or_null(const std::optional<Token>& id) { return id ? Json(*id) : Json(nullptr); }

Json ids_or_null(const std::vector<Token>& ids) {
  if (ids.empty()) return nullptr;
  return ids.size() == 1 ? Json(ids.front()) : Json(ids);
}

}  // namespace

std::string_view layer_type_name(LayerType type) {
  return type == LayerType::kFullAttention ? "full_attention" : "sliding_attention";
}

std::span<const std::string_view> known_model_types() { return kModelTypes; }

void validate(const ModelConfig& config, const std::string& where) {
  if (!std::ranges::count(kModelTypes, config.model_type))
    fail(ErrorCode::kUnsupported, {.where = where + ": model_type",
                                   .what = "got",
                                   .got = "'" + config.model_type + "'",
                                   .expected = "llama, qwen2 or qwen3"});
  for (const SizeField& field : size_fields()) {
    const Index value = config.*field.member;
    if (value < 1 || value > field.max)
      fail(ErrorCode::kRange, {.where = where + ": " + std::string(field.name),
                               .what = "got",
                               .got = std::to_string(value),
                               .expected = "an integer from 1 to " + std::to_string(field.max)});
  }
  if (!(config.rms_norm_eps >= 0.0 && config.rms_norm_eps <= 1.0))
    fail(ErrorCode::kRange, {.where = where + ": rms_norm_eps",
                             .what = "got",
                             .got = std::to_string(config.rms_norm_eps),
                             .expected = "a number from 0 to 1"});
  if (config.hidden_act != "silu")
    fail(ErrorCode::kUnsupported, {.where = where + ": hidden_act",
                                   .what = "got",
                                   .got = "'" + config.hidden_act + "'",
                                   .expected = "'silu' (also called 'swish')"});
  check_heads(config, where);
  check_layer_types(config, where);
}

std::string to_json(const ModelConfig& config) {
  Json json;
  json["model_type"] = config.model_type;
  for (const SizeField& field : size_fields()) json[std::string(field.name)] = config.*field.member;
  json["hidden_act"] = config.hidden_act;
  json["rms_norm_eps"] = config.rms_norm_eps;
  json["tie_word_embeddings"] = config.tie_word_embeddings;
  json["attention_bias"] = config.attention_bias;
  if (config.model_type == "llama") json["mlp_bias"] = config.mlp_bias;
  put_rope(config.rope_parameters, json["rope_parameters"]);
  if (config.model_type != "llama") {
    json["use_sliding_window"] = config.sliding_window.has_value();
    json["sliding_window"] = config.sliding_window ? Json(*config.sliding_window) : Json(nullptr);
    for (const LayerType type : config.layer_types) json["layer_types"].push_back(layer_type_name(type));
  }
  json["bos_token_id"] = id_or_null(config.bos_token_id);
  json["eos_token_id"] = ids_or_null(config.eos_token_id);
  json["pad_token_id"] = id_or_null(config.pad_token_id);
  if (!config.dtype.empty()) json["dtype"] = config.dtype;
  return json.dump(2, ' ', true);
}

}  // namespace llm
