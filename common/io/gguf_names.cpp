#include "common/io/gguf_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace llm {
namespace {

struct Pair {
  std::string_view gguf;
  std::string_view hugging_face;
};

// The part of the name between the layer's number and ".weight" or ".bias".
constexpr std::array<Pair, 11> kLayerNames = {{
    {"attn_norm", "input_layernorm"},
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"},
    {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
}};

constexpr std::array<Pair, 3> kOtherNames = {{
    {"token_embd", "model.embed_tokens"},
    {"output_norm", "model.norm"},
    {"output", "lm_head"},
}};

template <std::size_t N>
std::string_view look_up(const std::array<Pair, N>& pairs, std::string_view name) {
  for (const Pair& pair : pairs)
    if (pair.gguf == name) return pair.hugging_face;
  return {};
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string hugging_face_name(std::string_view gguf_name) {
  const std::string unknown(gguf_name);
  const std::size_t last_dot = gguf_name.rfind('.');
  if (last_dot == std::string_view::npos) return unknown;
  const std::string suffix(gguf_name.substr(last_dot));  // ".weight"
  std::string_view stem = gguf_name.substr(0, last_dot);
  if (!stem.starts_with("blk.")) {
    const std::string_view name = look_up(kOtherNames, stem);
    return name.empty() ? unknown : std::string(name) + suffix;
  }
  stem.remove_prefix(4);
  const std::size_t dot = stem.find('.');
  if (dot == std::string_view::npos || !is_number(stem.substr(0, dot))) return unknown;
  const std::string_view name = look_up(kLayerNames, stem.substr(dot + 1));
  if (name.empty()) return unknown;
  return "model.layers." + std::string(stem.substr(0, dot)) + "." + std::string(name) + suffix;
}

}  // namespace llm
