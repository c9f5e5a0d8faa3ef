// Which two tokens may be joined, how early, and into which token.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/base/types.h"

namespace llm {

// A merge: the lower its rank, the earlier it is done.
struct Merge {
  std::int32_t rank = 0;
  Token result = 0;
};

// From a pair of tokens to its merge: an open-addressing hash table, since encoding asks it for every pair.
class MergeTable {
 public:
  // Room for `count` merges.
  explicit MergeTable(Index count = 0) {
    std::size_t slots = 16;
    while (slots * 2 < static_cast<std::size_t>(count) * 3) slots *= 2;
    slots_.resize(slots);
    filter_.resize(std::max<std::size_t>(slots / 8, 1));
    mask_ = slots - 1;
  }

  // A pair that is there already gets the new merge. There must be room.
  void set(Token left, Token right, Merge merge) {
    const std::uint64_t wanted = key(left, right), hash = hash_of(wanted);
    filter_[hash >> 6 & filter_mask()] |= std::uint64_t{1} << (hash & 63);
    slots_[find_slot(wanted, hash)] = {wanted, merge};
  }

  // The merge of a pair, or null.
  const Merge* find(Token left, Token right) const {
    const std::uint64_t wanted = key(left, right), hash = hash_of(wanted);
    if ((filter_[hash >> 6 & filter_mask()] >> (hash & 63) & 1) == 0) return nullptr;
    const Slot& slot = slots_[find_slot(wanted, hash)];
    return slot.key == kEmpty ? nullptr : &slot.merge;
  }

 private:
  static constexpr std::uint64_t kEmpty =
      ~std::uint64_t{0};  // no token is negative, so no pair looks like this
  struct Slot {
    std::uint64_t key = kEmpty;
    Merge merge = {};
  };

  static std::uint64_t key(Token left, Token right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
  }

  // Multiplying by 2^64 / golden ratio spreads the pairs; the high bits are the well-mixed ones.
  static std::uint64_t hash_of(std::uint64_t wanted) {
    return (wanted ^ wanted >> 29) * 0x9E3779B97F4A7C15u >> 28;
  }

  std::size_t find_slot(std::uint64_t wanted, std::uint64_t hash) const {
    std::size_t at = static_cast<std::size_t>(hash) & mask_;
    while (slots_[at].key != wanted && slots_[at].key != kEmpty) at = (at + 1) & mask_;
    return at;
  }

  std::size_t filter_mask() const { return filter_.size() - 1; }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::vector<std::uint64_t>
      filter_;  // a bit for each pair; says for most that they have no merge, from little memory
};

}  // namespace llm
