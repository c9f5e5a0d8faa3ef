// What a cache layer should hold, in plain vectors, and a driver that does everything to both.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/rng.h"
#include "common/seams/cache.h"
#include "common/tensor/tensor.h"
#include "tests/common/seams/checks.h"
#include "tests/common/seams/kv_values.h"

namespace llm::test {

// One kind of layer, and what may be expected of it.
struct CacheTraits {
  std::string name;
  std::function<std::unique_ptr<CacheLayer>(Index num_rows)> make;
  Index num_key_value_heads = 2;       // KH
  Index head_dim = 8;                  // Dh
  float tolerance = 0;                 // of values in [-1, 1)
  std::optional<Index> capacity = {};  // tokens a row, of a preallocated layer; at least 12
  // A sliding layer keeps at least the last window - 1 keys; longest_chunk more can be taken back.
  std::optional<Index> window = {};
  Index longest_chunk = 0;
};

struct OracleToken {
  std::vector<float> key, value;  // [KH * Dh]
};
using OracleRows = std::vector<std::vector<OracleToken>>;

// A number of new tokens for each of some rows, in the order in which they are packed.
using Append = std::vector<std::pair<Index, Index>>;

class CacheDriver {
 public:
  CacheDriver(const CacheTraits& traits, Checks& checks, Index num_rows, std::uint32_t stream = 0)
      : traits_(traits), checks_(checks), layer_(traits.make(num_rows)), stream_(stream) {
    rows_.resize(static_cast<std::size_t>(num_rows));
  }

  CacheLayer& layer() { return *layer_; }
  Index length(Index row) const { return static_cast<Index>(rows_[static_cast<std::size_t>(row)].size()); }
  Index num_rows() const { return static_cast<Index>(rows_.size()); }

  // Keys and values lie as in a fused projection: [N, 2, KH, Dh], so that strides matter.
  void update(CacheLayer& layer, const Append& append, OracleRows* rows) {
    const Index KH = traits_.num_key_value_heads, Dh = traits_.head_dim, width = KH * Dh;
    Index N = 0;
    for (const auto& [row, count] : append) N += count;
    Tensor<float, 2> packed({N + kRoomBehind, 2 * width}, NAN);
    const Index size = N * 2 * width;
    for (Index i = 0; i < size; ++i) packed.data()[i] = next_value();
    std::vector<RowTokens> spans;
    Index begin = 0;
    for (const auto& [row, count] : append) {
      spans.push_back({.row = row, .begin = begin, .count = count});
      begin += count;
    }
    const View<const float, 3> keys(packed.data(), {N, KH, Dh}, {2 * width, Dh, 1});
    const View<const float, 3> values(packed.data() + width, {N, KH, Dh}, {2 * width, Dh, 1});
    layer.update(keys, values, spans);
    packed.fill(NAN);  // a layer that only remembered where they were is found out
    spent_.push_back(std::move(packed));
    if (rows == nullptr) return;
    stream_position_ -= static_cast<std::uint32_t>(size);
    for (const RowTokens& span : spans)
      for (Index i = 0; i < span.count; ++i) {
        OracleToken token;
        for (Index j = 0; j < width; ++j) token.key.push_back(next_value());
        for (Index j = 0; j < width; ++j) token.value.push_back(next_value());
        (*rows)[static_cast<std::size_t>(span.row)].push_back(std::move(token));
      }
  }
  void append(const Append& append) { update(*layer_, append, &rows_); }

  void crop(Index row, Index length) {
    layer_->crop(row, length);
    rows_[static_cast<std::size_t>(row)].resize(static_cast<std::size_t>(length));
  }
  void reorder(const std::vector<Index>& order) {
    layer_->reorder(order);
    OracleRows old = rows_;
    rows_.clear();
    for (const Index row : order) rows_.push_back(old[static_cast<std::size_t>(row)]);
  }
  void add_rows(Index count) {
    layer_->add_rows(count);
    rows_.resize(rows_.size() + static_cast<std::size_t>(count));
  }
  void reset() {
    layer_->reset();
    rows_.assign(rows_.size(), {});
  }

  // Everything that the layer shows against the oracle. `when` ends the claims.
  void compare(const std::string& when) { compare(*layer_, rows_, when); }

  void compare(CacheLayer& layer, const OracleRows& rows, const std::string& when) {
    const auto num_rows = static_cast<Index>(rows.size());
    checks_.that(layer.num_rows() == num_rows, "num_rows " + when);
    if (layer.num_rows() != num_rows) return;
    layer.offload();  // must not change what is there
    layer.prefetch();
    for (Index row = 0; row < num_rows; ++row)
      compare_row(layer, row, rows[static_cast<std::size_t>(row)], when);
  }

 private:
  static constexpr Index kRoomBehind = 64;  // tokens that a mistaken layer may look at: NaN, but ours

  float next_value() {
    const RngKey key = {.seed = 11, .sequence = stream_, .purpose = RngPurpose::kTest};
    return static_cast<float>(2 * uniform(key, stream_position_++) - 1);
  }

  void compare_row(CacheLayer& layer, Index row, const std::vector<OracleToken>& tokens,
                   const std::string& when) {
    const auto length = static_cast<Index>(tokens.size());
    checks_.that(layer.get_seq_length(row) == length, "get_seq_length " + when);
    Index first = traits_.window ? std::max<Index>(0, length - (*traits_.window - 1)) : 0;
    const auto blocks = layer.blocks(row);
    Index next = blocks.empty() ? length : blocks[0].first_position;
    checks_.that(blocks.empty() ? first >= length : next <= first,
                 "the oldest token that is needed is there " + when);
    bool ordered = true, same = true;
    for (const KvBlock& block : blocks) {
      ordered = ordered && block.first_position == next && block.length > 0;
      next += block.length;
      if (!ordered || next > length) break;
      for (Index i = 0; i < block.length; ++i)
        same = same && equal(block, i, tokens[static_cast<std::size_t>(block.first_position + i)]);
    }
    checks_.that(ordered, "blocks are not empty and follow one another, oldest first, " + when);
    checks_.that(next == length, "blocks end at the newest token " + when);
    checks_.that(same, "keys and values are those of their positions " + when);
  }

  bool equal(const KvBlock& block, Index i, const OracleToken& token) const {
    for (Index head = 0; head < traits_.num_key_value_heads; ++head)
      for (Index d = 0; d < traits_.head_dim; ++d) {
        const auto at = static_cast<std::size_t>(head * traits_.head_dim + d);
        const float key_error = std::abs(kv_value(block.keys, head, i, d) - token.key[at]);
        const float value_error = std::abs(kv_value(block.values, head, i, d) - token.value[at]);
        if (!(key_error <= traits_.tolerance && value_error <= traits_.tolerance)) return false;
      }
    return true;
  }

  const CacheTraits& traits_;
  Checks& checks_;
  std::unique_ptr<CacheLayer> layer_;
  OracleRows rows_;
  std::uint32_t stream_;
  std::uint32_t stream_position_ = 0;
  std::vector<Tensor<float, 2>> spent_;  // what was handed to update(): kept, so that looking is no crash
};

}  // namespace llm::test
