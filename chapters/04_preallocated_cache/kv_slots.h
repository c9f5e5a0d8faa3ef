// Room for the keys and values of a number of tokens: what the caches of this chapter are made of.
#pragma once

#include "chapters/03_kv_cache/dynamic_layer.h"
#include "common/seams/kv_block.h"
#include "common/seams/kv_memory.h"
#include "common/tensor/view.h"

namespace llm {

// Keys and values of up to size() tokens of one row, each token in a slot of its own. The slots of a head are
// neighbours, [KH, slots, Dh], because attention reads one head after the other.
class KvSlots {
 public:
  KvSlots() = default;
  // Not initialised. shape.format: f32, bf16 or f16. Errors: kMemory; those of `memory`.
  KvSlots(const KvShape& shape, Index slots, KvMemory* memory);

  static Index memory_bytes(const KvShape& shape, Index slots) { return 2 * slots * shape.token_bytes(); }
  Index memory_bytes() const { return buffer_.bytes(); }
  Index size() const { return slots_; }

  // Puts tokens [first, first + count) of keys and values, [N, KH, Dh], into the slots from `slot` on.
  void store(View<const float, 3> keys, View<const float, 3> values, Index first, Index count, Index slot);

  // Copies `count` slots of another KvSlots of the same shape, or of this one: then they may overlap.
  void copy(const KvSlots& from, Index first, Index count, Index slot);

  // The slots [slot, slot + count), whose first token is at first_position of its row.
  KvBlock block(Index slot, Index count, Index first_position) const;

 private:
  std::byte* keys() const { return buffer_.data(); }
  std::byte* values() const { return buffer_.data() + slots_ * shape_.token_bytes(); }
  Index slot_bytes() const { return shape_.token_bytes() / shape_.num_key_value_heads; }  // Dh numbers
  KvView view(const std::byte* base, Index slot) const;

  KvShape shape_;
  Index slots_ = 0;
  KvBuffer buffer_;
};

}  // namespace llm
