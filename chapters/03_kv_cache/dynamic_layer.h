// Keys and values that grow with the text: transformers' DynamicLayer.
#pragma once

#include <vector>

#include "common/seams/cache.h"

namespace llm {

// What a dynamic layer's values are, and how many there are of a token.
struct KvShape {
  Index num_key_value_heads = 0;  // KH
  Index head_dim = 0;             // Dh
  KvFormat format = KvFormat::kF32;
  Index token_bytes() const;  // of the keys of one token; as many again for its values
};

// Each row has its own memory, one piece for keys and one for values, in the order [KH, capacity, Dh]: a
// head's keys lie one behind the other, where attention reads them once for the G query heads that share
// them. A row that is full gets half as much again, so that n appends move less than 3 n tokens in all.
class DynamicLayer : public CacheLayer {
 public:
  // shape.format: f32, bf16 or f16. memory: outlives the layer.
  DynamicLayer(const KvShape& shape, Index num_rows, KvMemory* memory = main_memory());

  // Errors: kShape for keys or values that are not [N, KH, Dh]; kRange for a row that is not there; kMemory.
  // Nothing is stored then.
  void update(View<const float, 3> keys, View<const float, 3> values,
              std::span<const RowTokens> rows) override;
  std::span<const KvBlock> blocks(Index row) const override;  // one block, or none
  Index num_rows() const override { return static_cast<Index>(rows_.size()); }
  Index get_seq_length(Index row) const override { return rows_[check_row(row)].length(); }
  void crop(Index row, Index length) override;
  void reorder(std::span<const Index> rows) override;
  void add_rows(Index count) override;
  void reset() override;
  Index memory_bytes() const override;

  // Tokens of all rows for which memory is reserved; memory_bytes() is 2 * KH * Dh * bytes a value of it.
  Index reserved_tokens() const;
  // Bytes that growing has copied so far.
  Index moved_bytes() const { return moved_bytes_; }
  // For tests: NaN in every slot that holds no token, so that whoever reads one is found out.
  void poison_spare();

 private:
  // --8<-- [start:row]
  struct Row {
    KvBuffer keys, values;  // [KH, capacity, Dh]
    Index capacity = 0;
    KvBlock block = {};  // what attention sees; its length is the row's
    Index length() const { return block.length; }
  };
  // --8<-- [end:row]

  std::size_t check_row(Index row) const;
  Row make_row(Index capacity) const;
  void copy_tokens(const Row& from, Row& to) const;
  void reserve(Row& row, Index tokens);
  void append(Row& row, View<const float, 3> keys, View<const float, 3> values, const RowTokens& tokens);

  KvShape shape_;
  KvMemory* memory_;
  std::vector<Row> rows_;
  Index moved_bytes_ = 0;
};

}  // namespace llm
