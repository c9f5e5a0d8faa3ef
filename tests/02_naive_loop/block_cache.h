// A cache for tests of the forward pass: correct, slow, and as awkward as the seam allows. It keeps a row's
// tokens head by head in blocks of three, and NaN in every slot that is not used.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "chapters/02_naive_loop/transformer.h"

namespace llm::test {

class BlockLayer : public CacheLayer {
 public:
  static constexpr Index kBlockTokens = 3;

  BlockLayer(Index heads, Index head_dim, Index rows)
      : heads_(heads), head_dim_(head_dim), rows_(static_cast<std::size_t>(rows)) {}

  void update(View<const float, 3> keys, View<const float, 3> values,
              std::span<const RowTokens> rows) override {
    for (const RowTokens& tokens : rows)
      for (Index i = tokens.begin; i < tokens.begin + tokens.count; ++i)
        append(rows_[static_cast<std::size_t>(tokens.row)], keys[i], values[i]);
  }
  std::span<const KvBlock> blocks(Index row) const override {
    return rows_[static_cast<std::size_t>(row)].blocks;
  }
  Index num_rows() const override { return static_cast<Index>(rows_.size()); }
  Index get_seq_length(Index row) const override { return rows_[static_cast<std::size_t>(row)].length; }

  void crop(Index row, Index length) override {
    Row& r = rows_[static_cast<std::size_t>(row)];
    for (; r.length > length; --r.length)
      if (--r.blocks.back().length == 0) r.blocks.pop_back(), r.memory.pop_back();
  }
  void reorder(std::span<const Index>) override { fail(ErrorCode::kUnsupported, {.what = "reorder"}); }
  void add_rows(Index count) override { rows_.resize(rows_.size() + static_cast<std::size_t>(count)); }
  void reset() override { rows_.assign(rows_.size(), Row()); }
  void prefetch() override { ++prefetches; }
  void offload() override { ++offloads; }
  Index memory_bytes() const override { return 0; }

  int prefetches = 0, offloads = 0;

 private:
  struct Row {
    std::vector<std::array<std::vector<float>, 2>> memory;  // a block's keys and values
    std::vector<KvBlock> blocks;
    Index length = 0;
  };

  void append(Row& row, View<const float, 2> key, View<const float, 2> value) {
    if (row.length % kBlockTokens == 0) {
      const std::vector<float> empty(static_cast<std::size_t>(heads_ * kBlockTokens * head_dim_),
                                     std::numeric_limits<float>::quiet_NaN());
      row.memory.push_back({empty, empty});
      row.blocks.push_back({view(row.memory.back()[0]), view(row.memory.back()[1]), row.length, 0});
    }
    const Index slot = row.blocks.back().length++;
    for (Index h = 0; h < heads_; ++h)
      for (Index d = 0; d < head_dim_; ++d) {
        const auto at = static_cast<std::size_t>((h * kBlockTokens + slot) * head_dim_ + d);
        row.memory.back()[0][at] = key(h, d);
        row.memory.back()[1][at] = value(h, d);
      }
    ++row.length;
  }
  KvView view(const std::vector<float>& memory) const {
    KvView result;
    result.data = reinterpret_cast<const std::byte*>(memory.data());
    result.token_stride_bytes = head_dim_ * 4;
    result.head_stride_bytes = kBlockTokens * head_dim_ * 4;
    return result;
  }

  Index heads_, head_dim_;
  std::vector<Row> rows_;
};

class BlockCache : public Cache {
 public:
  BlockCache(const void* maker, const ModelConfig& config, Index rows) : Cache(maker) {
    for (Index l = 0; l < config.num_hidden_layers; ++l)
      layers_.push_back(std::make_unique<BlockLayer>(config.num_key_value_heads, config.head_dim, rows));
  }
  Index num_layers() const override { return static_cast<Index>(layers_.size()); }
  BlockLayer& layer(Index index) override { return *layers_.at(static_cast<std::size_t>(index)); }
  Index num_rows() const override { return layers_[0]->num_rows(); }
  Index get_seq_length(Index row) const override { return layers_[0]->get_seq_length(row); }
  void crop(Index row, Index length) override {
    for (const auto& layer : layers_) layer->crop(row, length);
  }
  void reorder(std::span<const Index>) override {}
  void add_rows(Index) override {}
  void reset() override {}
  Index memory_bytes() const override { return 0; }

 private:
  std::vector<std::unique_ptr<BlockLayer>> layers_;
};

inline TransformerOptions with_block_cache() {
  return {.name = "cached",
          .cache_factory =
              [](const void* maker, const ModelConfig& config, const CacheSpec& spec) {
                return std::make_unique<BlockCache>(maker, config, spec.num_rows);
              },
          .progress = {}};
}

}  // namespace llm::test
