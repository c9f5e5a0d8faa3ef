#include "chapters/02_naive_loop/attention.h"

#include <algorithm>
#include <cmath>

#include "chapters/02_naive_loop/attention_weights.h"
#include "chapters/02_naive_loop/each_row.h"
#include "chapters/02_naive_loop/kv_rows.h"
#include "common/tensor/matmul.h"

namespace llm {
namespace {

// A tile's queries become one matrix of about this many rows.
constexpr Index kTileQueries = 64;

// Calls f(block, first, count, column) for the part of each block that lies in `keys`; column counts from
// keys.begin.
template <class F>
void each_block_part(std::span<const KvBlock> blocks, Range keys, F f) {
  for (const KvBlock& block : blocks) {
    const Index begin = std::max(keys.begin, block.first_position);
    const Index end = std::min(keys.end, block.first_position + block.length);
    if (begin < end) f(block, begin - block.first_position, end - begin, begin - keys.begin);
  }
}

// Columns [first, first + count) of a matrix.
View<float, 2> columns(View<float, 2> matrix, Index first, Index count) {
  return {matrix.data() + first, {matrix.shape(0), count}, {matrix.stride(0), 1}};
}

View<const float, 2> transposed(View<const float, 2> matrix) {
  return {matrix.data(), {matrix.shape(1), matrix.shape(0)}, {matrix.stride(1), matrix.stride(0)}};
}

// A tile's heads: M = count * G queries; S keys that any of them sees.
void attend(View<const float, 3> queries, const AttentionRow& row, const AttentionTile& tile, Index G,
            std::optional<Index> window, AttentionScratch& scratch, View<float, 3> out) {
  const Index Dh = queries.shape(2);
  const Index M = tile.count * G;
  const Index oldest = row.blocks.front().first_position;
  const Index first_index = row.past_seen_tokens + tile.first;  // of the tile's first token
  const Index first_token = row.tokens.begin + tile.first;      // where the tile begins in the batch
  const Range keys = {visible_keys(oldest, first_index, window).begin, first_index + tile.count};
  const View<float, 2> q = scratch.queries.matrix(M, Dh);  // row t * G + g: token t, head g of the group
  const View<float, 2> scores = scratch.scores.matrix(M, keys.size());  // [M, S] = q K^T
  const View<float, 2> sum = scratch.sum.matrix(M, Dh);                 // [M, Dh] = softmax(scores) V
  std::fill_n(sum.data(), sum.size(), 0.0f);

  // --8<-- [start:ex02-6]
  const Index first_head = tile.kv_head * G;
  for (Index m = 0; m < M; ++m)
    std::copy_n(queries[first_token + m / G][first_head + m % G].begin(), Dh, q[m].begin());

  each_block_part(row.blocks, keys, [&](const KvBlock& block, Index first, Index count, Index column) {
    const auto k = kv_rows(block.keys, tile.kv_head, first, count, Dh, scratch.keys);  // [count, Dh]
    matmul(q, k, columns(scores, column, count));
  });

  const float scale = 1.0f / std::sqrt(static_cast<float>(Dh));
  for (Index m = 0; m < M; ++m) {
    const Range seen = visible_keys(oldest, first_index + m / G, window);
    masked_softmax(scores[m], {seen.begin - keys.begin, seen.end - keys.begin}, scale);
  }

  each_block_part(row.blocks, keys, [&](const KvBlock& block, Index first, Index count, Index column) {
    const auto v = kv_rows(block.values, tile.kv_head, first, count, Dh, scratch.values);  // [count, Dh]
    const View<float, 2> part = scratch.part.matrix(M, Dh);
    matmul(columns(scores, column, count), transposed(v), part);
    for (Index i = 0; i < sum.size(); ++i) sum.data()[i] += part.data()[i];
  });
  for (Index m = 0; m < M; ++m)
    std::copy_n(sum[m].begin(), Dh, out[first_token + m / G][first_head + m % G].begin());
  // --8<-- [end:ex02-6]
}

}  // namespace

void attention(View<const float, 3> queries, std::span<const AttentionRow> rows, Index num_kv_heads,
               std::optional<Index> window, AttentionWorkspace& workspace, View<float, 3> out) {
  const Index G = queries.shape(1) / num_kv_heads;
  const Index tile_tokens = std::max<Index>(1, kTileQueries / G);
  auto& tiles = workspace.tiles;
  tiles.clear();
  Index products = 0;  // of a query with a key
  for (std::size_t row = 0; row < rows.size(); ++row) {
    products += rows[row].tokens.count * (rows[row].past_seen_tokens + rows[row].tokens.count);
    for (Index head = 0; head < num_kv_heads; ++head)
      for (Index first = 0; first < rows[row].tokens.count; first += tile_tokens)
        tiles.push_back(
            {static_cast<Index>(row), head, first, std::min(tile_tokens, rows[row].tokens.count - first)});
  }

  // Later tiles see more keys, so each thread takes every n-th tile rather than a run of them.
  const bool share = products * queries.shape(1) * queries.shape(2) >= kTooSmallToShare;
  const std::size_t workers = share ? std::min(static_cast<std::size_t>(num_threads()), tiles.size()) : 1;
  if (workspace.scratch.size() < workers) workspace.scratch.resize(workers);
  parallel_for(static_cast<Index>(workers), [&](Index worker) {
    for (auto i = static_cast<std::size_t>(worker); i < tiles.size(); i += workers)
      attend(queries, rows[static_cast<std::size_t>(tiles[i].row)], tiles[i], G, window,
             workspace.scratch[static_cast<std::size_t>(worker)], out);
  });
}

}  // namespace llm
