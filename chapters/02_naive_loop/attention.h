// Causal grouped-query attention: what each new token takes over from the tokens before it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "chapters/02_naive_loop/buffer.h"
#include "common/seams/cache.h"

namespace llm {

// One sequence of the batch: where its new tokens are, and everything that they may look at.
struct AttentionRow {
  RowTokens tokens;                 // of the packed queries
  Index past_seen_tokens = 0;       // tokens of the sequence before them
  std::span<const KvBlock> blocks;  // keys and values, oldest first, the new ones included, without a gap
};

// Work is cut into tiles: some consecutive tokens of one row with the G heads of one key/value head. All
// their queries look at the same keys, which are so read once a tile.
struct AttentionTile {
  Index row = 0;
  Index kv_head = 0;
  Index first = 0;  // token, counted from the row's first new one
  Index count = 0;
};

// One thread's intermediate results.
struct AttentionScratch {
  Buffer queries, scores, keys, values, part, sum;
};

struct AttentionWorkspace {
  std::vector<AttentionTile> tiles;
  std::vector<AttentionScratch> scratch;  // one a thread
};

// For each head h and token: out = sum over keys s of p_s * value_s, p = softmax(query . key_s / sqrt(Dh)).
// The token at index q of its sequence sees the keys at indices s <= q, and only those with q - s < window
// where there is a window. Head h uses the keys and values of head h / G, G = H / KH (grouped-query).
// queries, out: [N, H, Dh]; num_kv_heads: KH.
// Source: Vaswani et al. 2017; Ainslie et al. 2023 (grouped queries); transformers' eager_attention_forward.
void attention(View<const float, 3> queries, std::span<const AttentionRow> rows, Index num_kv_heads,
               std::optional<Index> window, AttentionWorkspace& workspace, View<float, 3> out);

}  // namespace llm
