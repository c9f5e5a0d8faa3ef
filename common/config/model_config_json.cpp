#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/config/model_config.h"
#include "common/config/size_fields.h"
#include "common/io/json.h"
#include "common/io/mapped_file.h"

namespace llm {
namespace {

// What transformers fills in for keys that a config.json lacks. The sizes that every file names - vocabulary,
// widths, layers, heads - have defaults there too; a file without them is damaged, so here they are required.
struct FamilyDefaults {
  std::string_view model_type;
  Index max_position_embeddings;
  Index num_key_value_heads;  // 0: as many as num_attention_heads
  Index head_dim;             // 0: hidden_size / num_attention_heads
  std::optional<Token> bos_token_id;
  std::optional<Token> eos_token_id;
};
// Sources: LlamaConfig, Qwen2Config, Qwen3Config of transformers 5.23.
constexpr FamilyDefaults kDefaults[] = {
    {"llama", 2048, 0, 0, 1, 2},
    {"qwen2", 32768, 32, 0, std::nullopt, std::nullopt},
    {"qwen3", 32768, 32, 128, std::nullopt, std::nullopt},
};

const FamilyDefaults& defaults_of(const JsonReader& model_type) {
  for (const FamilyDefaults& family : kDefaults)
    if (model_type.string() == family.model_type) return family;
  fail(ErrorCode::kUnsupported, {.where = model_type.place(),
                                 .what = "got",
                                 .got = "'" + model_type.string() + "'",
                                 .expected = "llama, qwen2 or qwen3"});
}

Index max_of(std::string_view name) { return std::ranges::find(size_fields(), name, &SizeField::name)->max; }

Index size_at(const JsonReader& json, std::string_view name) {
  return json.at(name).integer(1, max_of(name));
}

void read_sizes(const JsonReader& json, const FamilyDefaults& family, ModelConfig& config) {
  config.vocab_size = size_at(json, "vocab_size");
  config.hidden_size = size_at(json, "hidden_size");
  config.intermediate_size = size_at(json, "intermediate_size");
  config.num_hidden_layers = size_at(json, "num_hidden_layers");
  config.num_attention_heads = size_at(json, "num_attention_heads");
  config.max_position_embeddings = json.integer_or("max_position_embeddings", family.max_position_embeddings,
                                                   1, max_of("max_position_embeddings"));

  // A key that is null is not the same as one that is not there.
  const bool absent = !json.json().contains("num_key_value_heads");
  const Index fallback =
      absent && family.num_key_value_heads > 0 ? family.num_key_value_heads : config.num_attention_heads;
  config.num_key_value_heads =
      json.integer_or("num_key_value_heads", fallback, 1, max_of("num_key_value_heads"));

  const bool derived = family.head_dim == 0 && !json.has("head_dim");
  if ((derived || config.model_type == "llama") && config.hidden_size % config.num_attention_heads != 0)
    fail(ErrorCode::kShape, {.where = json.place() + ": hidden_size",
                             .what = "got",
                             .got = std::to_string(config.hidden_size),
                             .expected = "a multiple of num_attention_heads (" +
                                         std::to_string(config.num_attention_heads) + ")"});
  const Index head_dim =
      family.head_dim > 0 ? family.head_dim : config.hidden_size / config.num_attention_heads;
  config.head_dim = json.integer_or("head_dim", head_dim, 1, max_of("head_dim"));
}

// transformers up to 4.52 knew no layer_types: the first max_window_layers layers see everything.
std::vector<LayerType> derive_layer_types(const JsonReader& json, const ModelConfig& config) {
  const Index full_layers = json.integer_or("max_window_layers", 28, 0);
  std::vector<LayerType> types(static_cast<std::size_t>(config.num_hidden_layers), LayerType::kFullAttention);
  if (config.sliding_window)
    for (std::size_t layer = 0; layer < types.size(); ++layer)
      if (static_cast<Index>(layer) >= full_layers) types[layer] = LayerType::kSlidingAttention;
  return types;
}

LayerType layer_type_from(const JsonReader& value) {
  if (value.string() == "full_attention" || value.string() == "attention") return LayerType::kFullAttention;
  if (value.string() == "sliding_attention") return LayerType::kSlidingAttention;
  fail(ErrorCode::kUnsupported, {.where = value.place(),
                                 .what = "got",
                                 .got = "'" + value.string() + "'",
                                 .expected = "'full_attention' or 'sliding_attention'"});
}

void read_windows(const JsonReader& json, ModelConfig& config) {
  // Llama's layers see everything, whatever a file says: LlamaModel of transformers has no window.
  if (config.model_type != "llama") {
    if (json.boolean_or("use_sliding_window", false)) {
      const bool absent = !json.json().contains("sliding_window");
      if (absent) config.sliding_window = 4096;
      if (const auto window = json.find("sliding_window")) config.sliding_window = window->integer(1);
    }
    if (const auto types = json.find("layer_types")) {
      types->expect_array();
      for (Index layer = 0; layer < types->size(); ++layer)
        config.layer_types.push_back(layer_type_from(types->at(layer)));
      return;
    }
  }
  config.layer_types = derive_layer_types(json, config);
}

// Special tokens: an id, a list of them or null. Files name ids that are not there (`pad_token_id: -1`), so
// these are only warned about, as in transformers.
std::vector<Token> read_ids(const JsonReader& json, std::string_view key, std::optional<Token> fallback,
                            ModelConfig& config) {
  if (!json.json().contains(std::string(key)))
    return fallback && *fallback < config.vocab_size ? std::vector<Token>{*fallback} : std::vector<Token>{};
  const auto value = json.find(key);
  if (!value) return {};
  const std::vector<Index> ids = value->is_array() ? value->integers() : std::vector<Index>{value->integer()};
  std::vector<Token> known;
  for (const Index id : ids) {
    if (id >= 0 && id < config.vocab_size)
      known.push_back(static_cast<Token>(id));
    else
      config.warnings.push_back(value->place() + ": " + std::to_string(id) +
                                " is not in the vocabulary (vocab_size " + std::to_string(config.vocab_size) +
                                ") and is left out");
  }
  return known;
}

std::optional<Token> read_id(const JsonReader& json, std::string_view key, std::optional<Token> fallback,
                             ModelConfig& config) {
  const std::vector<Token> ids = read_ids(json, key, fallback, config);
  return ids.empty() ? std::nullopt : std::optional<Token>(ids.front());
}

void refuse_quantized(const JsonReader& json) {
  const auto quantization = json.find("quantization_config");
  if (!quantization) return;
  const std::string method = quantization->is_object() ? quantization->string_or("quant_method", "") : "";
  fail(ErrorCode::kUnsupported, {.where = quantization->place(),
                                 .what = "quantized weights",
                                 .got = method.empty() ? "" : "('" + method + "')",
                                 .expected = "float32, float16 or bfloat16",
                                 .remedy = "use the original model, or a GGUF file"});
}

}  // namespace

ModelConfig load_model_config(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "config.json";
  if (!std::filesystem::exists(file))
    fail(ErrorCode::kMissing, {.where = folder.string(),
                               .what = "there is no config.json",
                               .remedy = "give a folder as Hugging Face has them, or a GGUF file"});
  const MappedFile mapped(file);
  return model_config_from_json(mapped.text(), mapped.name());
}

ModelConfig model_config_from_json(std::string_view text, const std::string& name) {
  const Json parsed = parse_json(text, name);
  const JsonReader json(parsed, name);
  json.expect_object();
  const FamilyDefaults& family = defaults_of(json.at("model_type"));

  ModelConfig config;
  config.model_type = family.model_type;
  refuse_quantized(json);
  read_sizes(json, family, config);
  config.hidden_act = json.string_or("hidden_act", "silu");
  if (config.hidden_act == "swish") config.hidden_act = "silu";
  if (const auto eps = json.find("rms_norm_eps")) config.rms_norm_eps = eps->number(0.0, 1.0);
  config.tie_word_embeddings = json.boolean_or("tie_word_embeddings", false);
  config.attention_bias = json.boolean_or("attention_bias", false);
  config.mlp_bias = config.model_type == "llama" && json.boolean_or("mlp_bias", false);
  config.rope_parameters = rope_parameters_from_json(json, config.max_position_embeddings);
  read_windows(json, config);
  config.bos_token_id = read_id(json, "bos_token_id", family.bos_token_id, config);
  config.eos_token_id = read_ids(json, "eos_token_id", family.eos_token_id, config);
  config.pad_token_id = read_id(json, "pad_token_id", std::nullopt, config);
  config.dtype = json.string_or("dtype", json.string_or("torch_dtype", ""));
  validate(config, name);
  return config;
}

}  // namespace llm
