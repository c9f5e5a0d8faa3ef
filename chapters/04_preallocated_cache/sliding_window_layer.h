// A ring: what no later token will look at is overwritten, so that memory does not grow with the text.
#pragma once

#include <array>
#include <optional>

#include "chapters/04_preallocated_cache/kv_slots.h"
#include "chapters/04_preallocated_cache/rows_layer.h"

namespace llm {

struct RingSizes {
  Index sliding_window = 0;  // W: a token sees itself and the W - 1 before it
  Index max_chunk = 1;       // tokens that are appended at once, and that crop can take back
  std::optional<Index> max_cache_len =
      {};  // if given: more tokens are an error, and slots for more are saved

  // Slots that an update of `count` tokens needs: the first new token still sees W - 1 old ones.
  Index slots(Index count) const;
};

// The token at position p is in slot p % slots: the newest overwrites the oldest. An update of more than
// max_chunk tokens makes the ring larger; the next one gives that memory back.
class RingRow {
 public:
  RingRow(const KvShape& shape, const RingSizes& sizes, KvMemory* memory);

  static Index memory_bytes(const KvShape& shape, const RingSizes& sizes) {
    return KvSlots::memory_bytes(shape, sizes.slots(sizes.max_chunk));
  }

  Index length() const { return length_; }
  void reserve(Index count);
  void append(View<const float, 3> keys, View<const float, 3> values, const RowTokens& tokens);
  void restore(Index first_position, View<const float, 3> keys, View<const float, 3> values);
  // Errors: kRange if a token that the next one sees is overwritten already.
  void check_crop(Index length) const;
  void crop(Index length);
  void clear();
  void reserve_copy(const RingRow& other);
  void copy(const RingRow& other);
  std::span<const KvBlock> blocks() const { return {blocks_.data(), num_blocks_}; }
  Index memory_bytes() const { return slots_.memory_bytes(); }

 private:
  Index oldest() const { return length_ - stored_; }  // the first position that is still there
  void resize(Index slots);
  void show();

  KvShape shape_;
  RingSizes sizes_;
  KvMemory* memory_;
  KvSlots slots_;
  Index length_ = 0;  // tokens seen
  Index stored_ = 0;  // the newest of them that are here
  std::array<KvBlock, 2> blocks_;
  std::size_t num_blocks_ = 0;
};

// Source: Beltagy et al. 2020 (sliding window attention); transformers' SlidingWindowLayer, which moves all
// keys by one slot at every step instead.
class SlidingWindowLayer : public RowsLayer<RingRow> {
 public:
  SlidingWindowLayer(Index num_rows, const KvShape& shape, const RingSizes& sizes,
                     KvMemory* memory = main_memory())
      : RowsLayer(num_rows, shape, [=] { return RingRow(shape, sizes, memory); }) {}
};

}  // namespace llm
