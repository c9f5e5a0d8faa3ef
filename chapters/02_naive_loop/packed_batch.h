// A batch without its padding: what the forward pass really computes.
#pragma once

#include <span>
#include <vector>

#include "common/config/model_config.h"
#include "common/seams/causal_lm.h"

namespace llm {

// N real tokens of B rows, row after row. Padding is on the left, so a row's tokens are the last ones of its
// T columns.
struct PackedBatch {
  Index B = 0;
  Index T = 0;
  Index N = 0;
  std::vector<RowTokens> rows;         // [B]
  std::vector<Index> positions;        // [N]
  std::vector<Token> ids;              // [N], or empty if the batch has inputs_embeds
  View<const float, 3> inputs_embeds;  // [B, T, D], or empty

  // The column of token i of row b.
  Index column(Index b, Index i) const { return T - rows[static_cast<std::size_t>(b)].count + i; }
};

// Checks a batch and packs it; `packed` keeps its memory from call to call.
// Errors: kShape for sizes that do not fit each other, kRange for an id outside the vocabulary or a position
// outside [0, max_position_embeddings), kUnsupported for padding that is not on the left, kUsage for an empty
// row, a row without a token, or a cache row named twice.
void pack(const Batch& batch, const ModelConfig& config, PackedBatch& packed);

// Copies the real tokens of [B, T, D] to [N, D].
void pack_rows(View<const float, 3> padded, const PackedBatch& packed, View<float, 2> out);

// The last K columns of each row of [N, D], as [B*K, D]. Padding becomes zeros, whose scores are zeros too.
void keep_last(View<const float, 2> values, const PackedBatch& packed, Index K, View<float, 2> kept);

// Copies [N, D] to [B, T, D] with zeros at padding.
void unpack(View<const float, 2> values, const PackedBatch& packed, View<float, 3> out);

}  // namespace llm
