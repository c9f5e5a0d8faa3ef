#include "chapters/05_fused_cpu/step_5_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chapters/02_naive_loop/attention_weights.h"
#include "chapters/02_naive_loop/kv_rows.h"

namespace llm {
namespace {

// Chunks begin at multiples of this, wherever a query stands, so that its result does not depend on how the
// work was cut.
constexpr Index kChunkKeys = 128;
constexpr Index kTileQueries = 48;

}  // namespace

struct OnlineAttention::Call {
  View<const float, 3> queries;  // [N, H, Dh]
  std::span<const AttentionRow> rows;
  Index num_kv_heads = 0;
  std::optional<Index> window = {};
  View<float, 3> out;  // [N, H, Dh]

  Index G() const { return queries.shape(1) / num_kv_heads; }
  Index head_dim() const { return queries.shape(2); }
  const AttentionRow& row(const AttentionTile& tile) const {
    return rows[static_cast<std::size_t>(tile.row)];
  }
  // The keys that the tile's token t sees.
  Range seen(const AttentionTile& tile, Index t) const {
    const AttentionRow& from = row(tile);
    return visible_keys(from.blocks.front().first_position, from.past_seen_tokens + tile.first + t, window);
  }
};

// --8<-- [start:add_part]
void add_part(const AttentionPart& more, const AttentionPart& all) {
  const Index Dh = all.sums.shape(1);
  for (Index m = 0; m < all.sums.shape(0); ++m) {
    // --8<-- [start:ex05-5]
    SoftmaxPart& a = all.softmax[m];
    const SoftmaxPart& b = more.softmax[m];
    if (b.sum == 0) continue;
    const float largest = a.sum == 0 ? b.largest : std::max(a.largest, b.largest);
    const float scale_a = a.sum == 0 ? 0.0f : std::exp(a.largest - largest);
    const float scale_b = std::exp(b.largest - largest);
    float* sum = all.sums[m].begin();
    const float* part = more.sums[m].begin();
    for (Index d = 0; d < Dh; ++d) sum[d] = scale_a * sum[d] + scale_b * part[d];
    a = {largest, scale_a * a.sum + scale_b * b.sum};
    // --8<-- [end:ex05-5]
  }
}
// --8<-- [end:add_part]

bool OnlineAttention::reads_in_place(const KvView& view, Index head_dim) const {
  if (view.format == KvFormat::kF32) return true;
  return (view.format == KvFormat::kF16 || view.format == KvFormat::kBF16) && head_dim % 32 == 0;
}

void OnlineAttention::cut(const Call& call) {
  const Index tile_tokens = std::max<Index>(1, kTileQueries / call.G());
  tiles_.clear();
  num_parts_ = 0;
  for (std::size_t row = 0; row < call.rows.size(); ++row)
    for (Index head = 0; head < call.num_kv_heads; ++head)
      for (Index first = 0; first < call.rows[row].tokens.count; first += tile_tokens) {
        Tile tile;
        tile.tokens = {static_cast<Index>(row), head, first,
                       std::min(tile_tokens, call.rows[row].tokens.count - first)};
        tile.first_chunk = call.seen(tile.tokens, 0).begin / kChunkKeys;
        tile.end_chunk = (call.seen(tile.tokens, tile.tokens.count - 1).end - 1) / kChunkKeys + 1;
        tile.first_part = num_parts_;
        num_parts_ += tile.end_chunk - tile.first_chunk;
        tiles_.push_back(tile);
      }
}

// As prepare(): memory for all threads at once, because which of them take part is up to chance.
void OnlineAttention::reserve(Index most_queries, Index head_dim) {
  for (int thread = 0; thread < team().num_threads(); ++thread) {
    ThreadScratch& one = scratch(thread);
    for (Buffer* buffer : {&one.queries, &one.part, &one.all}) (void)buffer->matrix(most_queries, head_dim);
    (void)one.scores.matrix(most_queries, kChunkKeys);
    (void)one.rows.matrix(kChunkKeys, head_dim);
    one.softmax.resize(static_cast<std::size_t>(2 * most_queries));
  }
}

void OnlineAttention::attend(View<const float, 3> queries, std::span<const AttentionRow> rows,
                             Index num_kv_heads, std::optional<Index> window, View<float, 3> out) {
  const Call call = {queries, rows, num_kv_heads, window, out};
  const Index Dh = call.head_dim();
  cut(call);
  // With few tiles (decoding) each chunk is a task of its own, and a tile's parts are added up afterwards:
  // in the same order as where one thread does chunk after chunk.
  const auto num_tiles = static_cast<Index>(tiles_.size());
  const bool share_chunks = num_tiles < 4 * team().num_threads() && num_parts_ > num_tiles;
  const Index most_queries = kTileQueries + call.G();
  reserve(most_queries, Dh);
  if (share_chunks) {
    const View<float, 2> sums = sums_.matrix(num_parts_ * most_queries, Dh);
    softmax_.resize(static_cast<std::size_t>(num_parts_ * most_queries));
    const auto part_of = [&](const Tile& tile, Index chunk) -> AttentionPart {
      const Index first = (tile.first_part + chunk - tile.first_chunk) * most_queries;
      return {sums.slice(first, tile.tokens.count * call.G()), &softmax_[static_cast<std::size_t>(first)]};
    };
    team().run(num_parts_, [&](Index i, int thread) {
      const Tile& tile = *std::prev(std::ranges::upper_bound(tiles_, i, {}, &Tile::first_part));
      const Index chunk = tile.first_chunk + i - tile.first_part;
      attend_chunk(call, tile, chunk, thread, part_of(tile, chunk));
    });
    for (const Tile& tile : tiles_) {
      const AttentionPart all = part_of(tile, tile.first_chunk);
      for (Index c = tile.first_chunk + 1; c < tile.end_chunk; ++c) add_part(part_of(tile, c), all);
      finish(call, tile, all);
    }
    return;
  }
  team().run(num_tiles, [&](Index i, int thread) {
    const Tile& tile = tiles_[static_cast<std::size_t>(i)];
    const Index M = tile.tokens.count * call.G();
    ThreadScratch& mine = scratch(thread);
    const AttentionPart all = {mine.all.matrix(M, Dh), mine.softmax.data()};
    const AttentionPart more = {mine.part.matrix(M, Dh), mine.softmax.data() + M};
    attend_chunk(call, tile, tile.first_chunk, thread, all);
    for (Index c = tile.first_chunk + 1; c < tile.end_chunk; ++c) {
      attend_chunk(call, tile, c, thread, more);
      add_part(more, all);
    }
    finish(call, tile, all);
  });
}

// M = count * G queries; row t * G + g is token t with head g of the group.
void OnlineAttention::attend_chunk(const Call& call, const Tile& tile, Index chunk, int thread,
                                   const AttentionPart& out) {
  const AttentionTile& tokens = tile.tokens;
  const Index G = call.G(), Dh = call.head_dim(), M = tokens.count * G;
  const Index begin = chunk * kChunkKeys, end = begin + kChunkKeys;
  ThreadScratch& mine = scratch(thread);
  const View<float, 2> q = mine.queries.matrix(M, Dh);
  const View<float, 2> scores = mine.scores.matrix(M, kChunkKeys);
  const float scale = 1.0f / std::sqrt(static_cast<float>(Dh));
  for (Index m = 0; m < M; ++m) {
    const Index n = call.row(tokens).tokens.begin + tokens.first + m / G;
    const float* from = call.queries[n][tokens.kv_head * G + m % G].begin();
    for (Index d = 0; d < Dh; ++d) q(m, d) = from[d] * scale;
  }
  // Calls f(panel, column, count) for what each block has of the chunk.
  const auto each_block = [&](bool keys, auto f) {
    const Index first = std::max(begin, call.seen(tokens, 0).begin);
    const Index last = std::min(end, call.seen(tokens, tokens.count - 1).end);
    for (const KvBlock& block : call.row(tokens).blocks) {
      const Index from = std::max(first, block.first_position);
      const Index to = std::min(last, block.first_position + block.length);
      if (from >= to) continue;
      AttentionPanel panel = {.queries = q.data(),
                              .M = M,
                              .head_dim = Dh,
                              .view = keys ? block.keys : block.values,
                              .head = tokens.kv_head,
                              .first = from - block.first_position,
                              .count = to - from,
                              .scores = scores.data() + (from - begin),
                              .score_stride = kChunkKeys,
                              .out = out.sums.data()};
      if (!reads_in_place(panel.view, Dh)) {
        const auto rows = kv_rows(panel.view, panel.head, panel.first, panel.count, Dh, mine.rows);
        panel.view = {};
        panel.view.data = reinterpret_cast<const std::byte*>(rows.data());
        panel.view.token_stride_bytes = rows.stride(0) * static_cast<Index>(sizeof(float));
        panel.head = panel.first = 0;
      }
      f(panel);
    }
  };
  each_block(true, [&](const AttentionPanel& panel) { kernels().scores(panel); });
  for (Index m = 0; m < M; ++m) {
    const Range all = call.seen(tokens, m / G);
    const Range seen = {std::max(all.begin, begin) - begin, std::min(all.end, end) - begin};
    float* s = scores[m].begin();
    out.softmax[m] = seen.size() > 0 ? kernels().exponentials(s + seen.begin, seen.size()) : SoftmaxPart{};
    std::fill(s, s + std::clamp<Index>(seen.begin, 0, kChunkKeys), 0.0f);
    std::fill(s + std::clamp<Index>(seen.end, 0, kChunkKeys), s + kChunkKeys, 0.0f);
  }
  std::fill_n(out.sums.data(), out.sums.size(), 0.0f);
  each_block(false, [&](const AttentionPanel& panel) { kernels().add_values(panel); });
}

void OnlineAttention::finish(const Call& call, const Tile& tile, const AttentionPart& all) {
  const AttentionTile& tokens = tile.tokens;
  const Index G = call.G();
  for (Index m = 0; m < tokens.count * G; ++m) {
    const Index n = call.row(tokens).tokens.begin + tokens.first + m / G;
    float* to = call.out[n][tokens.kv_head * G + m % G].begin();
    for (Index d = 0; d < call.head_dim(); ++d) to[d] = all.sums(m, d) / all.softmax[m].sum;
  }
}

}  // namespace llm
