// All memory that a forward pass needs for its intermediate results.
#pragma once

#include <vector>

#include "chapters/02_naive_loop/attention.h"
#include "chapters/02_naive_loop/buffer.h"
#include "chapters/02_naive_loop/packed_batch.h"

namespace llm {

// N: tokens of a pass. H, KH, Dh: heads, key/value heads, head_dim. D, F, V: widths of the residual stream,
// of the feed-forward block, of the vocabulary. B, T, K: rows of the batch, their length, positions kept.
struct Workspace {
  PackedBatch batch;
  std::vector<AttentionRow> rows;
  std::vector<KvBlock> blocks;  // one a row, where there is no cache
  AttentionWorkspace attention;

  Buffer hidden;          // [N, D]     the residual stream
  Buffer normed;          // [N, D]     what a block reads
  Buffer query;           // [N, H*Dh]
  Buffer key, value;      // [N, KH*Dh]
  Buffer heads;           // [N, H*Dh]  what attention found
  Buffer delta;           // [N, D]     what a block adds to the residual stream
  Buffer gate, up;        // [N, F]
  Buffer cosines, sines;  // [N, Dh/2]
  Buffer kept;            // [B*K, D]   the positions whose scores are wanted
  Buffer logits;          // [B*K, V]
  Buffer padded;          // [B*T, D]   for the hidden-state callback

  // For tests: see Buffer::poison().
  void poison();
  Index bytes() const;
};

}  // namespace llm
