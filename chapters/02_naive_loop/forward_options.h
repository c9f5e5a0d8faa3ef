// What a forward pass is asked for, whatever the engine computes with.
#pragma once

#include <span>

#include "chapters/02_naive_loop/buffer.h"
#include "chapters/02_naive_loop/packed_batch.h"
#include "common/seams/causal_lm.h"

namespace llm {

// Errors: kMismatch unless the engine made the cache, kRange for a row that it does not have.
void check_cache(const CausalLM& engine, Cache& past, std::span<const RowTokens> rows);

// The layers that are run: all, or num_layers of them. Errors: kRange.
Index layers_to_run(const ForwardOptions& options, const ModelConfig& config);

// The last positions of T whose scores are wanted. Errors: kRange if logits_to_keep is negative.
Index positions_to_keep(const ForwardOptions& options, Index T);

// Calls on_hidden_state, if there is one, with [N, D] padded to [B, T, D] in `padded`.
void show_hidden(Index layer, View<const float, 2> hidden, const PackedBatch& batch,
                 const ForwardOptions& options, Buffer& padded);

}  // namespace llm
