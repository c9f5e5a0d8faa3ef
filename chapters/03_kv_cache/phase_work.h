// The arithmetic of a generation, taken apart: reading the prompt and writing, with a cache and without.
#pragma once

#include <optional>

#include "common/config/model_config.h"

namespace llm {

// Floating-point operations as in chapter 02's flops.h.
struct PhaseWork {
  Index positions = 0;   // computed
  double linear = 0;     // the layers' matrices: alike for every position
  double attention = 0;  // grows with the keys that a position sees
  double head = 0;       // the scores of one position a pass
  double total() const { return linear + attention + head; }
};

struct GenerationWork {
  PhaseWork prefill;  // the pass, or the pieces, that give the first new token
  PhaseWork decode;   // the other new_tokens - 1 passes
};

// prompt_tokens >= 1. Without a cache every step computes all positions so far.
GenerationWork naive_phases(const ModelConfig& config, Index prompt_tokens, Index new_tokens);

// With a cache each position is computed once: the prompt's, except the reused_tokens that the cache held
// before, then one a step.
GenerationWork cached_phases(const ModelConfig& config, Index reused_tokens, Index prompt_tokens,
                             Index new_tokens, std::optional<Index> prefill_chunk_size = {});

}  // namespace llm
