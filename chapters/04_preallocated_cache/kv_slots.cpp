#include "chapters/04_preallocated_cache/kv_slots.h"

#include <cassert>
#include <cstring>

#include "chapters/02_naive_loop/each_row.h"
#include "chapters/03_kv_cache/kv_format.h"

namespace llm {

KvSlots::KvSlots(const KvShape& shape, Index slots, KvMemory* memory)
    : shape_(shape), slots_(slots), buffer_(memory_bytes(shape, slots), memory) {}

void KvSlots::store(View<const float, 3> new_keys, View<const float, 3> new_values, Index first, Index count,
                    Index slot) {
  assert(slot >= 0 && slot + count <= slots_);
  const auto Dh = static_cast<std::size_t>(shape_.head_dim);
  for (Index head = 0; head < shape_.num_key_value_heads; ++head)
    for (Index i = 0; i < count; ++i) {
      const Index offset = (head * slots_ + slot + i) * slot_bytes();
      store_values({new_keys[first + i][head].begin(), Dh}, shape_.format, keys() + offset);
      store_values({new_values[first + i][head].begin(), Dh}, shape_.format, values() + offset);
    }
}

void KvSlots::copy(const KvSlots& from, Index first, Index count, Index slot) {
  assert(first + count <= from.slots_ && slot + count <= slots_);
  const Index bytes = count * slot_bytes();  // of one head; long texts are copied by all threads
  each_row(2 * shape_.num_key_value_heads, bytes / 4, [&](Index i) {
    const Index to_offset = (i / 2 * slots_ + slot) * slot_bytes();
    const Index from_offset = (i / 2 * from.slots_ + first) * slot_bytes();
    std::byte* to = i % 2 == 0 ? keys() : values();
    const std::byte* source = i % 2 == 0 ? from.keys() : from.values();
    if (bytes > 0) std::memmove(to + to_offset, source + from_offset, static_cast<std::size_t>(bytes));
  });
}

KvView KvSlots::view(const std::byte* base, Index slot) const {
  KvView view;
  view.format = shape_.format;
  view.data = base + slot * slot_bytes();
  view.head_stride_bytes = slots_ * slot_bytes();
  view.token_stride_bytes = slot_bytes();
  return view;
}

KvBlock KvSlots::block(Index slot, Index count, Index first_position) const {
  assert(slot >= 0 && slot + count <= slots_);
  return {.keys = view(keys(), slot),
          .values = view(values(), slot),
          .first_position = first_position,
          .length = count};
}

}  // namespace llm
