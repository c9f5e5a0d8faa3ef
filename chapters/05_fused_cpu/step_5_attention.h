// Step 5: attention that reads each key and value once for all heads of its group, straight from the cache
// in the cache's own format, and a chunk of keys at a time: no row of scores is ever as long as the text.
// Source: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax"; Dao et al. 2022.
#pragma once

#include "chapters/05_fused_cpu/step_4_fused.h"

namespace llm {

// Attention over some of the keys, for M queries. The softmax over all keys is a ratio of two sums, and both
// can be put together from parts that say what their largest score was.
struct AttentionPart {
  View<float, 2> sums;        // [M, Dh], sum of exp(score - largest) * value
  SoftmaxPart* softmax = {};  // [M]; a sum of 0 where a query sees none of the keys
};

// Makes `all` the part that has also the keys of `more`, which come later.
void add_part(const AttentionPart& more, const AttentionPart& all);

class OnlineAttention : public FusedOperators {
 public:
  using FusedOperators::FusedOperators;
  void attend(View<const float, 3> queries, std::span<const AttentionRow> rows, Index num_kv_heads,
              std::optional<Index> window, View<float, 3> out) override;

 protected:
  // Whether the kernels read the view's format; any other is unpacked to float32 first.
  virtual bool reads_in_place(const KvView& view, Index head_dim) const;

 private:
  struct Call;  // the arguments of attend()
  // Some consecutive tokens of a row with the heads of one key/value head, and the chunks that they see.
  struct Tile {
    AttentionTile tokens;
    Index first_chunk = 0, end_chunk = 0;
    Index first_part = 0;  // where the chunks are spread over the threads
  };
  void cut(const Call& call);
  void reserve(Index most_queries, Index head_dim);
  void attend_chunk(const Call& call, const Tile& tile, Index chunk, int thread, const AttentionPart& out);
  void finish(const Call& call, const Tile& tile, const AttentionPart& all);

  std::vector<Tile> tiles_;
  Index num_parts_ = 0;
  Buffer sums_;                       // [parts, M, Dh]
  std::vector<SoftmaxPart> softmax_;  // [parts, M]
};

}  // namespace llm
