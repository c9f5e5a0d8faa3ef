// How many bytes a decode step moves: what its speed is limited by.
#pragma once

#include <string>

#include "chapters/05_fused_cpu/operators.h"
#include "common/config/model_config.h"
#include "common/io/checkpoint.h"
#include "common/seams/cache.h"

namespace llm {

// The model's matrices as they are in the checkpoint now.
struct WeightFormats {
  Index step_bytes = 0;     // what a step reads: each matrix once, but of the embeddings a row, unless they
                            // are the head too
  Index rounded_bytes = 0;  // of them, those that `operators` multiply with rounded numbers
  std::string names;        // "BF16"; "Q4_1, Q6_K": the format of most bytes first
};
WeightFormats weight_formats(const ModelConfig& config, Checkpoint& checkpoint, const Operators& operators);

// The same of chapter 02's float32 copies.
Index float32_step_bytes(const ModelConfig& config);

// Bytes of keys and values that a step reads when there are `tokens` of them in each layer.
Index cached_step_bytes(const ModelConfig& config, CacheSpec spec, Index tokens);

}  // namespace llm
