// Words that were encoded before, with their tokens: most of a text consists of few words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_tokenizer/byte_hash.h"
#include "common/base/types.h"

namespace llm {

// A hash table from short words to their tokens, emptied when it is full. Not for two threads at once.
class WordCache {
 public:
  static constexpr std::size_t kMaxWordBytes = 64;

  WordCache() : slots_(kSlots) {}

  // The tokens of a word, valid until the next insert(); nothing for a word that is not here.
  std::optional<std::span<const Token>> find(std::string_view word) const {
    if (word.size() > kMaxWordBytes) return std::nullopt;
    const std::uint64_t hash = hash_bytes(word);
    for (std::size_t at = hash & (kSlots - 1);; at = (at + 1) & (kSlots - 1)) {
      const Slot& slot = slots_[at];
      if (slot.word_bytes == kNone) return std::nullopt;
      if (slot.hash == static_cast<std::uint32_t>(hash >> 32) && word == word_of(slot)) {
        return std::span<const Token>(tokens_).subspan(slot.first_token, slot.token_count);
      }
    }
  }

  // Keeps a word that is not here yet.
  void insert(std::string_view word, std::span<const Token> tokens) {
    if (word.size() > kMaxWordBytes || tokens.size() > kMaxWordBytes) return;
    if (count_ >= kMaxWords) clear();
    const std::uint64_t hash = hash_bytes(word);
    std::size_t at = hash & (kSlots - 1);
    while (slots_[at].word_bytes != kNone) at = (at + 1) & (kSlots - 1);
    slots_[at] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(words_.size()),
                  static_cast<std::uint32_t>(tokens_.size()), static_cast<std::uint16_t>(word.size()),
                  static_cast<std::uint16_t>(tokens.size())};
    words_.append(word);
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
    ++count_;
  }

  void clear() {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    words_.clear();
    tokens_.clear();
    count_ = 0;
  }

 private:
  static constexpr std::size_t kSlots = std::size_t{1} << 17;
  static constexpr std::size_t kMaxWords = kSlots / 2;
  static constexpr std::uint16_t kNone = 0xFFFF;

  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t first_byte = 0, first_token = 0;  // in words_ and tokens_
    std::uint16_t word_bytes = kNone, token_count = 0;
  };

  std::string_view word_of(const Slot& slot) const {
    return std::string_view(words_).substr(slot.first_byte, slot.word_bytes);
  }

  std::vector<Slot> slots_;
  std::string words_;
  std::vector<Token> tokens_;
  std::size_t count_ = 0;
};

}  // namespace llm
