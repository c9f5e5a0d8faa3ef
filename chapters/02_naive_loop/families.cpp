#include "chapters/02_naive_loop/families.h"

#include <fmt/format.h>

#include "common/base/error.h"

namespace llm {
namespace {

constexpr const Family* kFamilies[] = {&kLlamaFamily, &kQwen2Family, &kQwen3Family};

// A size of the config and its name, for messages: "num_attention_heads 4 * head_dim 32".
struct Size {
  Index value;
  std::string why;
};

Size hidden(const ModelConfig& c) { return {c.hidden_size, fmt::format("hidden_size {}", c.hidden_size)}; }

Size heads(const ModelConfig& c) {
  return {c.num_attention_heads * c.head_dim,
          fmt::format("num_attention_heads {} * head_dim {}", c.num_attention_heads, c.head_dim)};
}

Size kv_heads(const ModelConfig& c) {
  return {c.num_key_value_heads * c.head_dim,
          fmt::format("num_key_value_heads {} * head_dim {}", c.num_key_value_heads, c.head_dim)};
}

Size intermediate(const ModelConfig& c) {
  return {c.intermediate_size, fmt::format("intermediate_size {}", c.intermediate_size)};
}

Linear load_linear(const std::string& name, const Size& out, const Size& in, bool bias, WeightLoader& load) {
  Linear linear;
  linear.weight = load.matrix(name + ".weight", out.value, in.value, out.why + ", " + in.why);
  if (bias) linear.bias = load.vector(name + ".bias", out.value, out.why);
  return linear;
}

}  // namespace

std::span<const Family* const> families() { return kFamilies; }

const Family& find_family(const std::string& model_type) {
  std::string known;
  for (const Family* family : kFamilies) {
    if (family->model_type == model_type) return *family;
    known += (known.empty() ? "" : ", ") + std::string(family->model_type);
  }
  fail(ErrorCode::kUnsupported, {.where = "config.json",
                                 .what = "model_type",
                                 .got = "'" + model_type + "'",
                                 .expected = "one of " + known});
}

void load_norms(const ModelConfig& c, const std::string& prefix, WeightLoader& load, DecoderLayer& layer) {
  const Size D = hidden(c);
  layer.input_layernorm = load.vector(prefix + "input_layernorm.weight", D.value, D.why);
  layer.post_attention_layernorm = load.vector(prefix + "post_attention_layernorm.weight", D.value, D.why);
}

void load_attention(const ModelConfig& c, const std::string& prefix, bool qkv_bias, bool output_bias,
                    WeightLoader& load, DecoderLayer& layer) {
  const std::string p = prefix + "self_attn.";
  layer.q_proj = load_linear(p + "q_proj", heads(c), hidden(c), qkv_bias, load);
  layer.k_proj = load_linear(p + "k_proj", kv_heads(c), hidden(c), qkv_bias, load);
  layer.v_proj = load_linear(p + "v_proj", kv_heads(c), hidden(c), qkv_bias, load);
  layer.o_proj = load_linear(p + "o_proj", hidden(c), heads(c), output_bias, load);
}

void load_mlp(const ModelConfig& c, const std::string& prefix, bool bias, WeightLoader& load,
              DecoderLayer& layer) {
  const std::string p = prefix + "mlp.";
  layer.gate_proj = load_linear(p + "gate_proj", intermediate(c), hidden(c), bias, load);
  layer.up_proj = load_linear(p + "up_proj", intermediate(c), hidden(c), bias, load);
  layer.down_proj = load_linear(p + "down_proj", hidden(c), intermediate(c), bias, load);
}

}  // namespace llm
