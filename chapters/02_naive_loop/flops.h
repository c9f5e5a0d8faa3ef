// How much work a forward pass is, counted from the model's shape.
#pragma once

#include "common/config/model_config.h"

namespace llm {

// Floating-point operations, a multiplication and an addition counted as two. Norms, rotations, softmax and
// activations are not counted: they are a few per thousand of it.

// The linear layers of one decoder layer for one position: 2 for each of its weights,
//   2 * (D*H*Dh + 2*D*KH*Dh + H*Dh*D + 3*D*F).
Index linear_flops(const ModelConfig& config);

// Attention of one layer for one position that sees `keys` keys: queries times keys, weights times values,
//   4 * H * Dh * keys.
Index attention_flops(const ModelConfig& config, Index keys);

// The head for one position: 2 * D * V.
Index head_flops(const ModelConfig& config);

// What attention is of a layer's work at a position that sees `keys` keys, 0 to 1.
double attention_share(const ModelConfig& config, Index keys);

// The number of keys at which attention costs as much as the linear layers: their work over 4 * H * Dh.
double attention_break_even(const ModelConfig& config);

// A forward pass over positions [first, first + count) of one sequence, scores for the last `kept` of them.
// Windows shorten what a position sees.
double forward_flops(const ModelConfig& config, Index first, Index count, Index kept);

// What attention is of that, in all layers.
double attention_pass_flops(const ModelConfig& config, Index first, Index count);

// A loop over new_tokens tokens after prompt_tokens. Without a cache step i computes prompt_tokens + i
// positions; each but the newest was computed before.
struct LoopWork {
  Index positions = 0;  // computed: the sum over all steps
  Index needed = 0;     // different ones: prompt_tokens + new_tokens - 1
  double flops = 0;
  Index redundant() const { return positions - needed; }
};
LoopWork naive_work(const ModelConfig& config, Index prompt_tokens, Index new_tokens);
LoopWork cached_work(const ModelConfig& config, Index prompt_tokens, Index new_tokens);

}  // namespace llm
