// Preallocated: all memory is there before the first token, and none is asked for after it.
#pragma once

#include <array>

#include "chapters/04_preallocated_cache/kv_slots.h"
#include "chapters/04_preallocated_cache/rows_layer.h"

namespace llm {

// A row with room for `capacity` tokens; the token at position p is in slot p.
class StaticRow {
 public:
  StaticRow(const KvShape& shape, Index capacity, KvMemory* memory);

  static Index memory_bytes(const KvShape& shape, Index capacity) {
    return KvSlots::memory_bytes(shape, capacity);
  }

  Index length() const { return block_.length; }
  // Errors: kRange if the capacity is exceeded, with the capacity that is needed.
  void reserve(Index count) const;
  void append(View<const float, 3> keys, View<const float, 3> values, const RowTokens& tokens);
  void restore(Index first_position, View<const float, 3> keys, View<const float, 3> values);
  void check_crop(Index) const {}
  void crop(Index length) { block_.length = length; }
  void clear() { crop(0); }
  void reserve_copy(const StaticRow&) {}
  void copy(const StaticRow& other);
  std::span<const KvBlock> blocks() const { return {&block_, length() > 0 ? 1u : 0u}; }
  Index memory_bytes() const { return slots_.memory_bytes(); }

 private:
  KvSlots slots_;
  KvBlock block_;  // all of them; its length is the row's
};

// max_cache_len: the capacity of each row. Source: transformers' StaticLayer.
class StaticLayer : public RowsLayer<StaticRow> {
 public:
  StaticLayer(Index num_rows, const KvShape& shape, Index max_cache_len, KvMemory* memory = main_memory())
      : RowsLayer(num_rows, shape, [=] { return StaticRow(shape, max_cache_len, memory); }) {}
};

// For rows that keep all tokens. Errors: kRange unless first_position is 0.
void check_complete(Index first_position);

// For every layer with a largest length. Errors: kRange unless length + count <= max_cache_len.
void check_capacity(Index length, Index count, Index max_cache_len);

}  // namespace llm
