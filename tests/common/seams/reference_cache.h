// The simplest cache that keeps the seam's promises, and the same with one mistake, to show that the
// conformance check finds it.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "common/seams/cache.h"

namespace llm::test {

enum class CacheFault {
  kNone,
  kStoresReferences,    // remembers where the new keys are, not what they are
  kIgnoresStrides,      // reads keys as if they were contiguous
  kMixesRows,           // takes the packed tokens in order, whatever their rows say
  kNewestFirst,         // blocks in the wrong order
  kWrongFirstPosition,  // counts positions within a block
  kEmptyBlock,          // shows a block without tokens
  kCropsOneTooMany,
  kCropsSilently,      // any length will do
  kSharesCopies,       // copies of a row are one row
  kReordersInPlace,    // reads rows that were overwritten before
  kReorderKeepsCount,  // as many rows as before
  kAddRowsCopies,      // an added row is not empty
  kResetForgetsNothing,
  kStoresHalf,  // a refused update leaves the rows that fitted
  kCountsNoMemory,
  kOffloadLoses,  // what was moved away is not there any more
};

// Keeps a row's tokens in blocks of three.
class ReferenceLayer : public CacheLayer {
 public:
  static constexpr Index kBlockTokens = 3;

  ReferenceLayer(Index num_rows, Index heads, Index head_dim, std::optional<Index> capacity = {},
                 CacheFault fault = CacheFault::kNone)
      : heads_(heads), head_dim_(head_dim), capacity_(capacity), fault_(fault) {
    for (Index i = 0; i < num_rows; ++i) rows_.push_back(std::make_shared<Row>());
  }

  void update(View<const float, 3> keys, View<const float, 3> values,
              std::span<const RowTokens> rows) override {
    for (const RowTokens& tokens : rows) {
      if (capacity_ && row(tokens.row).length + tokens.count > *capacity_) {
        show();  // kStoresHalf has moved rows
        fail(ErrorCode::kRange, {.where = "reference cache", .what = "is full"});
      }
      if (fault_ == CacheFault::kStoresHalf) append(keys, values, tokens);
    }
    Index packed = 0;
    for (RowTokens tokens : rows) {
      if (fault_ == CacheFault::kMixesRows)
        tokens.begin = packed, tokens.row = tokens.row == 0 ? 0 : tokens.row - 1;
      if (fault_ != CacheFault::kStoresHalf) append(keys, values, tokens);
      packed += tokens.count;
    }
    show();
  }

  std::span<const KvBlock> blocks(Index index) const override { return row(index).blocks; }
  Index num_rows() const override { return static_cast<Index>(rows_.size()); }
  Index get_seq_length(Index index) const override { return row(index).length; }

  void crop(Index index, Index length) override {
    if ((length < 0 || length > row(index).length) && fault_ != CacheFault::kCropsSilently)
      fail(ErrorCode::kRange, {.where = "reference cache", .what = "crop"});
    if (fault_ == CacheFault::kCropsOneTooMany && length > 0 && length < row(index).length) --length;
    length = std::clamp<Index>(length, 0, row(index).length);
    row(index).length = length;
    row(index).tokens.resize(static_cast<std::size_t>(length * token_floats()));
    show();
  }

  void reorder(std::span<const Index> order) override {
    for (const Index i : order)
      if (i < 0 || i >= num_rows()) fail(ErrorCode::kRange, {.where = "reference cache", .what = "reorder"});
    const std::vector<std::shared_ptr<Row>> old = rows_;
    rows_.clear();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto from = static_cast<std::size_t>(order[i]);
      const bool overwritten = fault_ == CacheFault::kReordersInPlace && from < i;
      const auto& source = overwritten ? rows_[from] : old[from];
      rows_.push_back(fault_ == CacheFault::kSharesCopies ? source : std::make_shared<Row>(*source));
    }
    if (fault_ == CacheFault::kReorderKeepsCount)
      while (rows_.size() < old.size()) rows_.push_back(std::make_shared<Row>());
    show();
  }

  void add_rows(Index count) override {
    for (Index i = 0; i < count; ++i)
      rows_.push_back(fault_ == CacheFault::kAddRowsCopies ? std::make_shared<Row>(*rows_[0])
                                                           : std::make_shared<Row>());
    show();
  }

  void reset() override {
    if (fault_ == CacheFault::kResetForgetsNothing) return;
    for (auto& one : rows_) one->length = 0, one->tokens.clear();
    show();
  }

  void offload() override {
    if (fault_ == CacheFault::kOffloadLoses)
      for (auto& one : rows_) std::fill(one->tokens.begin(), one->tokens.end(), 0.0f);
  }

  Index memory_bytes() const override {
    if (fault_ == CacheFault::kCountsNoMemory) return 0;
    std::size_t floats = 0;
    for (const auto& one : rows_) floats += one->tokens.capacity();
    return static_cast<Index>(floats * sizeof(float));
  }

 private:
  struct Row {
    std::vector<float> tokens;  // key and value of one token after the other: [length, 2, KH, Dh]
    std::vector<KvBlock> blocks;
    Index length = 0;
    const float* elsewhere = nullptr;  // kStoresReferences
  };

  Row& row(Index index) const { return *rows_.at(static_cast<std::size_t>(index)); }
  Index token_floats() const { return 2 * heads_ * head_dim_; }

  void append(View<const float, 3> keys, View<const float, 3> values, const RowTokens& tokens) {
    Row& to = row(tokens.row);
    if (fault_ == CacheFault::kIgnoresStrides) {
      keys = View<const float, 3>(keys.data(), keys.shape());
      values = View<const float, 3>(values.data(), values.shape());
    }
    if (fault_ == CacheFault::kStoresReferences && tokens.count > 0) to.elsewhere = keys[tokens.begin].data();
    for (Index i = tokens.begin; i < tokens.begin + tokens.count; ++i)
      for (const View<const float, 3>& part : {keys, values})
        for (Index head = 0; head < heads_; ++head)
          for (Index d = 0; d < head_dim_; ++d) to.tokens.push_back(part(i, head, d));
    to.length += tokens.count;
  }

  // Makes the blocks of every row anew.
  void show() {
    for (auto& one : rows_) {
      one->blocks.clear();
      for (Index first = 0; first < one->length; first += kBlockTokens) {
        const float* data = one->tokens.data() + first * token_floats();
        if (one->elsewhere != nullptr && first == 0) data = one->elsewhere;
        const bool wrong = fault_ == CacheFault::kWrongFirstPosition;
        one->blocks.push_back({.keys = view(data),
                               .values = view(data + token_floats() / 2),
                               .first_position = wrong ? 0 : first,
                               .length = std::min(kBlockTokens, one->length - first)});
      }
      if (fault_ == CacheFault::kNewestFirst) std::reverse(one->blocks.begin(), one->blocks.end());
      if (fault_ == CacheFault::kEmptyBlock && !one->blocks.empty())
        one->blocks.push_back({.keys = {}, .values = {}, .first_position = one->length, .length = 0});
    }
  }
  KvView view(const float* data) const {
    KvView view;
    view.data = reinterpret_cast<const std::byte*>(data);
    view.head_stride_bytes = head_dim_ * 4;
    view.token_stride_bytes = token_floats() * 4;
    return view;
  }

  Index heads_, head_dim_;
  std::optional<Index> capacity_;
  CacheFault fault_;
  std::vector<std::shared_ptr<Row>> rows_;
};

enum class WholeCacheFault { kNone, kFirstLayerOnly, kLayersShareTokens, kStopsHalfway };

class ReferenceCache : public Cache {
 public:
  ReferenceCache(const void* maker, Index num_layers, Index num_rows, Index heads, Index head_dim,
                 WholeCacheFault fault = WholeCacheFault::kNone)
      : Cache(maker), fault_(fault) {
    for (Index l = 0; l < num_layers; ++l)
      layers_.push_back(std::make_unique<ReferenceLayer>(num_rows, heads, head_dim));
  }

  Index num_layers() const override { return static_cast<Index>(layers_.size()); }
  CacheLayer& layer(Index index) override {
    const bool shared = fault_ == WholeCacheFault::kLayersShareTokens;
    return *layers_.at(static_cast<std::size_t>(shared ? 0 : index));
  }
  Index num_rows() const override { return layers_[0]->num_rows(); }
  Index get_seq_length(Index row) const override { return layers_[0]->get_seq_length(row); }

  void crop(Index row, Index length) override {
    if (length < 0 || length > get_seq_length(row))
      fail(ErrorCode::kRange, {.where = "reference cache", .what = "crop"});
    for (std::size_t l = 0; l < reached(); ++l)
      if (layers_[l]->get_seq_length(row) > length) layers_[l]->crop(row, length);
  }
  void reorder(std::span<const Index> rows) override {
    if (fault_ == WholeCacheFault::kStopsHalfway) layers_[0]->reorder(std::vector<Index>{0, 1});
    for (std::size_t l = 0; l < reached(); ++l) layers_[l]->reorder(rows);
  }
  void add_rows(Index count) override {
    for (std::size_t l = 0; l < reached(); ++l) layers_[l]->add_rows(count);
  }
  void reset() override {
    for (std::size_t l = 0; l < reached(); ++l) layers_[l]->reset();
  }
  Index memory_bytes() const override {
    Index sum = 0;
    for (const auto& one : layers_) sum += one->memory_bytes();
    return sum;
  }

 private:
  std::size_t reached() const { return fault_ == WholeCacheFault::kFirstLayerOnly ? 1 : layers_.size(); }

  WholeCacheFault fault_;
  std::vector<std::unique_ptr<ReferenceLayer>> layers_;
};

}  // namespace llm::test
