#include "chapters/03_kv_cache/kv_tokens.h"

#include <algorithm>

#include "chapters/02_naive_loop/kv_rows.h"

namespace llm {
namespace {

// Copies tokens [first, first + count) of a block to out[to], out[to + 1], ...
void copy_block(const KvView& view, Index first, Index count, Index to, Buffer& scratch, View<float, 3> out) {
  const Index heads = out.shape(1), head_dim = out.shape(2);
  for (Index head = 0; head < heads; ++head) {
    const View<const float, 2> rows = kv_rows(view, head, first, count, head_dim, scratch);
    for (Index i = 0; i < count; ++i) std::copy_n(rows[i].begin(), head_dim, out[to + i][head].begin());
  }
}

}  // namespace

KvTokens read_tokens(const CacheLayer& layer, Index row, Index first, Index num_key_value_heads,
                     Index head_dim) {
  const std::span<const KvBlock> blocks = layer.blocks(row);
  const Index end = layer.get_seq_length(row);
  KvTokens tokens;
  tokens.first_position = blocks.empty() ? end : std::max(first, blocks.front().first_position);
  const Index count = end - tokens.first_position;
  tokens.keys = Tensor<float, 3>({count, num_key_value_heads, head_dim});
  tokens.values = Tensor<float, 3>({count, num_key_value_heads, head_dim});
  Buffer scratch;
  for (const KvBlock& block : blocks) {
    const Index begin = std::max(tokens.first_position, block.first_position);
    const Index copied = block.first_position + block.length - begin;
    if (copied <= 0) continue;
    const Index to = begin - tokens.first_position;
    copy_block(block.keys, begin - block.first_position, copied, to, scratch, tokens.keys);
    copy_block(block.values, begin - block.first_position, copied, to, scratch, tokens.values);
  }
  return tokens;
}

}  // namespace llm
