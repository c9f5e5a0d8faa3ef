#include <algorithm>
#include <array>

#include "common/base/error.h"
#include "common/config/model_config.h"
#include "common/config/size_fields.h"
#include "common/io/gguf.h"

namespace llm {
namespace {

// Reads the metadata of one architecture: keys are "qwen3.block_count" and so on.
class GgufReader {
 public:
  explicit GgufReader(const GgufFile& file) : file_(file), arch_(file.architecture()) {}

  const GgufFile& file() const { return file_; }
  const std::string& arch() const { return arch_; }
  std::string key(std::string_view name) const { return arch_ + "." + std::string(name); }
  std::string place(std::string_view name) const { return file_.file()->name() + ": " + key(name); }
  bool has(std::string_view name) const { return file_.has(key(name)); }

  // A size, bounded like the config.json field of the same meaning.
  Index size(std::string_view name, std::string_view field) const {
    return file_.integer(key(name), 1, max_of(field));
  }
  Index size_or(std::string_view name, std::string_view field, Index fallback) const {
    return file_.integer_or(key(name), fallback, 1, max_of(field));
  }
  const TensorEntry* tensor(std::string_view name) const {
    const auto found = std::ranges::find(file_.tensors(), name, &TensorEntry::name);
    return found == file_.tensors().end() ? nullptr : &*found;
  }

 private:
  static Index max_of(std::string_view field) {
    return std::ranges::find(size_fields(), field, &SizeField::name)->max;
  }

  const GgufFile& file_;
  std::string arch_;
};

// The rows of the embedding table, which may be more than the tokenizer has ids.
Index read_vocab_size(const GgufReader& gguf) {
  if (const TensorEntry* table = gguf.tensor("token_embd.weight"); table && table->shape.size() == 2)
    return table->shape.front();
  if (gguf.has("vocab_size")) return gguf.size("vocab_size", "vocab_size");
  return static_cast<Index>(gguf.file().strings("tokenizer.ggml.tokens").size());
}

Index read_head_dim(const GgufReader& gguf, const ModelConfig& config) {
  if (!gguf.has("attention.key_length") && config.hidden_size % config.num_attention_heads != 0)
    fail(ErrorCode::kShape, {.where = gguf.place("embedding_length"),
                             .what = "got",
                             .got = std::to_string(config.hidden_size),
                             .expected = "a multiple of attention.head_count (" +
                                         std::to_string(config.num_attention_heads) + ")"});
  const Index head_dim =
      gguf.size_or("attention.key_length", "head_dim", config.hidden_size / config.num_attention_heads);
  const Index value_length = gguf.size_or("attention.value_length", "head_dim", head_dim);
  if (value_length != head_dim)
    fail(ErrorCode::kUnsupported, {.where = gguf.place("attention.value_length"),
                                   .what = "got",
                                   .got = std::to_string(value_length),
                                   .expected = std::to_string(head_dim) + " (attention.key_length)"});
  return head_dim;
}

// Which layers have the window is in the file only where a pattern says so. Without one nobody (llama.cpp,
// transformers) gives these families a window.
void read_windows(const GgufReader& gguf, ModelConfig& config) {
  config.layer_types.assign(static_cast<std::size_t>(config.num_hidden_layers), LayerType::kFullAttention);
  if (!gguf.has("attention.sliding_window") || config.model_type == "llama") return;
  const Index window = gguf.file().integer(gguf.key("attention.sliding_window"), 0);
  const GgufValue* pattern = gguf.file().find(gguf.key("attention.sliding_window_pattern"));
  if (window == 0) return;
  if (pattern == nullptr || pattern->type != GgufType::kArray || pattern->element_type != GgufType::kBool) {
    config.warnings.push_back(gguf.place("attention.sliding_window") +
                              ": the file does not say which layers " + "have the window of " +
                              std::to_string(window) + "; all layers see everything");
    return;
  }
  if (pattern->count != config.num_hidden_layers)
    fail(ErrorCode::kShape, {.where = gguf.place("attention.sliding_window_pattern"),
                             .what = "got",
                             .got = std::to_string(pattern->count) + " entries",
                             .expected = std::to_string(config.num_hidden_layers) + " (block_count)"});
  config.sliding_window = window;
  for (std::size_t layer = 0; layer < config.layer_types.size(); ++layer)
    if (pattern->bytes[layer] != 0) config.layer_types[layer] = LayerType::kSlidingAttention;
}

void read_special_tokens(const GgufReader& gguf, ModelConfig& config) {
  const auto read = [&](const std::string& name) -> std::optional<Token> {
    const std::string key = "tokenizer.ggml." + name + "_token_id";
    if (!gguf.file().has(key)) return std::nullopt;
    const Index id = gguf.file().integer(key);
    if (id >= 0 && id < config.vocab_size) return static_cast<Token>(id);
    config.warnings.push_back(gguf.file().file()->name() + ": " + key + ": " + std::to_string(id) +
                              " is not in the vocabulary and is left out");
    return std::nullopt;
  };
  config.bos_token_id = read("bos");
  config.pad_token_id = read("padding");
  // A chat's turn may end with another token than a document does; both end a generation.
  for (const char* name : {"eos", "eot", "eom"})
    if (const auto id = read(name); id && !std::ranges::count(config.eos_token_id, *id))
      config.eos_token_id.push_back(*id);
}

}  // namespace

ModelConfig model_config_from_gguf(const GgufFile& file) {
  const GgufReader gguf(file);
  if (!std::ranges::count(known_model_types(), gguf.arch()))
    fail(ErrorCode::kUnsupported, {.where = file.file()->name() + ": general.architecture",
                                   .what = "got",
                                   .got = "'" + gguf.arch() + "'",
                                   .expected = "llama, qwen2 or qwen3"});
  if (file.integer_or(gguf.key("expert_count"), 0) > 0)
    fail(ErrorCode::kUnsupported,
         {.where = gguf.place("expert_count"), .what = "a mixture of experts", .expected = "a dense model"});

  ModelConfig config;
  config.model_type = gguf.arch();
  config.vocab_size = read_vocab_size(gguf);
  config.hidden_size = gguf.size("embedding_length", "hidden_size");
  config.intermediate_size = gguf.size("feed_forward_length", "intermediate_size");
  config.num_hidden_layers = gguf.size("block_count", "num_hidden_layers");
  config.num_attention_heads = gguf.size("attention.head_count", "num_attention_heads");
  config.num_key_value_heads =
      gguf.size_or("attention.head_count_kv", "num_key_value_heads", config.num_attention_heads);
  config.head_dim = read_head_dim(gguf, config);
  config.max_position_embeddings = gguf.size("context_length", "max_position_embeddings");
  config.rms_norm_eps = file.number(gguf.key("attention.layer_norm_rms_epsilon"));
  config.tie_word_embeddings = gguf.tensor("output.weight") == nullptr;
  config.attention_bias = gguf.tensor("blk.0.attn_q.bias") != nullptr;
  config.mlp_bias = config.model_type == "llama" && gguf.tensor("blk.0.ffn_gate.bias") != nullptr;
  if (config.head_dim % 2 == 0)
    config.rope_parameters = rope_parameters_from_gguf(file, config.head_dim, config.max_position_embeddings);
  read_windows(gguf, config);
  read_special_tokens(gguf, config);
  validate(config, file.file()->name());
  return config;
}

}  // namespace llm
