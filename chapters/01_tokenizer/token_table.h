// From a token's string to its id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_tokenizer/byte_hash.h"
#include "common/base/types.h"

namespace llm {

// The vocabulary: strings and ids, found from both sides. An open-addressing hash table of indexes.
class TokenTable {
 public:
  // Room for `count` tokens, ids up to max_id.
  TokenTable(Index count, Token max_id) : entry_of_id_(static_cast<std::size_t>(max_id + 1), kNone) {
    std::size_t slots = 16;
    while (slots < static_cast<std::size_t>(count) * 2) slots *= 2;
    slots_.resize(slots);
    entries_.reserve(static_cast<std::size_t>(count));
  }
  TokenTable() : TokenTable(0, -1) {}

  // A string that is there already gets the new id. There must be room.
  void add(std::string text, Token id) {
    Slot& slot = slots_[find_slot(text)];
    if (slot.entry == kNone) {
      slot = {static_cast<std::uint32_t>(hash_bytes(text) >> 32), static_cast<std::int32_t>(entries_.size())};
      entries_.push_back({std::move(text), id});
    }
    entries_[slot.entry].id = id;
    entry_of_id_[id] = slot.entry;
  }

  std::optional<Token> find(std::string_view text) const {
    const Slot& slot = slots_[find_slot(text)];
    if (slot.entry == kNone) return std::nullopt;
    return entries_[slot.entry].id;
  }

  // The string of an id, or null.
  const std::string* text(Token id) const {
    if (id < 0 || id > max_id() || entry_of_id_[id] == kNone) return nullptr;
    return &entries_[entry_of_id_[id]].text;
  }

  Index size() const { return static_cast<Index>(entries_.size()); }
  Index max_id() const { return static_cast<Index>(entry_of_id_.size()) - 1; }  // -1 for an empty vocabulary

  struct Entry {
    std::string text;
    Token id = 0;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  static constexpr std::int32_t kNone = -1;
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t entry = kNone;
  };

  std::size_t find_slot(std::string_view text) const {
    const std::uint64_t hash = hash_bytes(text);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(hash) & mask;
    while (slots_[at].entry != kNone && (slots_[at].hash != static_cast<std::uint32_t>(hash >> 32) ||
                                         entries_[slots_[at].entry].text != text)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> entry_of_id_;
};

}  // namespace llm
