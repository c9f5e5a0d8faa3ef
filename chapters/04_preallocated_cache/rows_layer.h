// What all layers of this chapter have in common. Each kind says how one row is kept; a layer is its rows.
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "chapters/03_kv_cache/dynamic_layer.h"
#include "common/base/error.h"
#include "common/io/tensor_entry.h"
#include "common/seams/cache.h"

namespace llm {

// One sequence in one layer.
template <class Row>
concept CacheRow = std::movable<Row> &&
    requires(Row row, const Row other, Index n, View<const float, 3> kv, RowTokens tokens) {
  // Makes room for n more tokens. Errors: kRange if they do not fit, kMemory; then nothing is changed.
  row.reserve(n);
  row.append(kv, kv, tokens);  // for which there is room: keys, values [N, KH, Dh]
  row.check_crop(n);           // 0 <= n <= length(). Errors: kRange if crop(n) is not possible
  row.crop(n);
  row.clear();
  row.restore(n, kv, kv);   // of an empty row: see CacheLayer
  row.reserve_copy(other);  // so that copy(other) needs no memory
  row.copy(other);
  { other.length() } -> std::convertible_to<Index>;
  { other.blocks() } -> std::convertible_to<std::span<const KvBlock>>;
  { other.memory_bytes() } -> std::convertible_to<Index>;
};

template <CacheRow Row>
class RowsLayer : public CacheLayer {
 public:
  RowsLayer(Index num_rows, const KvShape& shape, std::function<Row()> make_row)
      : shape_(shape), make_row_(std::move(make_row)) {
    add_rows(num_rows);
  }

  // First room for all, then all: a row that does not fit leaves the others as they were.
  void update(View<const float, 3> keys, View<const float, 3> values,
              std::span<const RowTokens> rows) override {
    check_shapes(keys, values);
    for (const RowTokens& tokens : rows) {
      Index count = 0;  // of all pieces for this row
      for (const RowTokens& piece : rows)
        if (piece.row == tokens.row) count += piece.count;
      row(tokens.row).reserve(count);
    }
    for (const RowTokens& tokens : rows) row(tokens.row).append(keys, values, tokens);
  }

  void restore(Index index, Index first_position, View<const float, 3> keys,
               View<const float, 3> values) override {
    check_shapes(keys, values);
    row(index).restore(first_position, keys, values);
  }

  std::span<const KvBlock> blocks(Index index) const override { return row(index).blocks(); }
  Index num_rows() const override { return static_cast<Index>(rows_.size()); }
  Index get_seq_length(Index index) const override { return row(index).length(); }

  void check_crop(Index index, Index length) const override {
    CacheLayer::check_crop(index, length);
    row(index).check_crop(length);
  }
  void crop(Index index, Index length) override {
    check_crop(index, length);
    row(index).crop(length);
  }

  // Of several copies of a row the first is the row itself; the others go into rows that nobody asks for, or
  // into new ones. All memory is there before anything is changed.
  void reorder(std::span<const Index> order) override {
    std::vector<Index> first(rows_.size(), -1);  // the new row that an old one becomes
    for (std::size_t i = 0; i < order.size(); ++i) {
      (void)row(order[i]);
      if (Index& target = first[at(order[i])]; target < 0) target = static_cast<Index>(i);
    }
    std::vector<Row> added;
    for (std::size_t i = rows_.size(); i < order.size(); ++i) added.push_back(make_row_());
    std::vector<Row*> spare;
    for (Row& one : added) spare.push_back(&one);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (first[i] < 0) spare.push_back(&rows_[i]);
    std::vector<Row*> source;
    for (std::size_t i = 0; i < order.size(); ++i) {
      Row& old = rows_[at(order[i])];
      source.push_back(&old);
      if (first[at(order[i])] == static_cast<Index>(i)) continue;
      source.back() = spare.back();
      spare.pop_back();
      source.back()->reserve_copy(old);
    }

    std::vector<Row> rows;
    rows.reserve(order.size());
    for (Row* one : source) rows.push_back(std::move(*one));
    for (std::size_t i = 0; i < order.size(); ++i)
      if (const Index original = first[at(order[i])]; original != static_cast<Index>(i))
        rows[i].copy(rows[at(original)]);
    rows_ = std::move(rows);
  }

  void add_rows(Index count) override {
    std::vector<Row> added;
    for (Index i = 0; i < count; ++i) added.push_back(make_row_());
    rows_.reserve(rows_.size() + added.size());
    for (Row& one : added) rows_.push_back(std::move(one));
  }

  void reset() override {
    for (Row& one : rows_) one.clear();
  }

  Index memory_bytes() const override {
    Index sum = 0;
    for (const Row& one : rows_) sum += one.memory_bytes();
    return sum;
  }

 private:
  static std::size_t at(Index index) { return static_cast<std::size_t>(index); }
  const Row& row(Index index) const {
    if (index < 0 || index >= num_rows())
      fail(ErrorCode::kRange, {.where = "cache: row",
                               .what = "got",
                               .got = std::to_string(index),
                               .expected = "0 to " + std::to_string(num_rows() - 1)});
    return rows_[at(index)];
  }
  Row& row(Index index) { return const_cast<Row&>(std::as_const(*this).row(index)); }

  void check_shapes(View<const float, 3> keys, View<const float, 3> values) const {
    const Index KH = shape_.num_key_value_heads, Dh = shape_.head_dim;
    if (keys.shape() == values.shape() && keys.shape(1) == KH && keys.shape(2) == Dh) return;
    fail(ErrorCode::kShape, {.where = "cache",
                             .what = "keys and values of shape",
                             .got = shape_text(keys.shape()) + " and " + shape_text(values.shape()),
                             .expected = shape_text(std::array{keys.shape(0), KH, Dh}) + " each"});
  }

  KvShape shape_;
  std::function<Row()> make_row_;
  std::vector<Row> rows_;
};

}  // namespace llm
