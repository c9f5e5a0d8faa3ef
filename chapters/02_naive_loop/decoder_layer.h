// The weights of one layer. What is optional is empty where the model lacks it.
#pragma once

#include "chapters/02_naive_loop/layers.h"

namespace llm {

// D: hidden_size. H, KH, Dh: heads, key/value heads, head_dim. F: intermediate_size. V: vocab_size.
// Names are those of transformers' LlamaDecoderLayer.
struct DecoderLayer {
  View<const float, 1> input_layernorm;           // [D]
  Linear q_proj;                                  // [H*Dh, D]
  Linear k_proj, v_proj;                          // [KH*Dh, D]
  Linear o_proj;                                  // [D, H*Dh]
  View<const float, 1> q_norm, k_norm;            // [Dh], Qwen3 only
  View<const float, 1> post_attention_layernorm;  // [D]
  Linear gate_proj, up_proj;                      // [F, D]
  Linear down_proj;                               // [D, F]
};

}  // namespace llm
