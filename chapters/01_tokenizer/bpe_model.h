// Byte pair encoding: a word starts as single characters (or bytes), and pairs of neighbours are joined into
// longer tokens until no listed pair is left. Of all listed pairs in the word the one of the lowest rank
// comes first, and of equal ones the leftmost. (Sennrich et al. 2016, "Neural machine translation of rare
// words with subword units")
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/01_tokenizer/merge_table.h"
#include "chapters/01_tokenizer/min_tree.h"
#include "chapters/01_tokenizer/token_table.h"
#include "chapters/01_tokenizer/word_cache.h"
#include "common/base/types.h"

namespace llm {

// What a model consists of, as a file lists it.
struct BpeParts {
  std::vector<std::pair<std::string, Token>> vocab;
  std::vector<std::pair<std::string, std::string>> merges;  // in the order of their ranks
  std::optional<std::string> unk_token;                     // stands for characters without a token
  std::string continuing_subword_prefix;                    // in front of all but a word's first character
  std::string end_of_word_suffix;                           // behind a word's last character
  bool fuse_unk = false;                                    // one unk_token for several unknown characters
  bool byte_fallback = false;                               // try the tokens <0x00> to <0xFF> first
  bool ignore_merges = false;                               // a word that is a token is not taken apart
};

// One step of the algorithm, for showing: the pair at `position` became `result`; the word then was `tokens`.
struct MergeStep {
  Index position = 0;
  std::int32_t rank = 0;
  Token left = 0, right = 0, result = 0;
  std::vector<Token> tokens;
};

// What encoding remembers from word to word: an owner's, for one thread at a time.
struct BpeState {
  WordCache cache;
  // Room to merge in.
  std::vector<Token> symbols, results;
  std::vector<std::int32_t> next, previous;
  MinTree ranks;
};

class BpeModel {
 public:
  // `bytes_as_characters`: words come as bytes, the vocabulary spells them in the byte-level alphabet.
  // `where` names the file in messages. Errors: kRange for an id beyond [0, kMaxTokens), kFormat for a merge
  // or an unk_token that is not in the vocabulary.
  BpeModel(BpeParts parts, bool bytes_as_characters, const std::string& where);
  BpeModel(const BpeModel&) = delete;
  BpeModel& operator=(const BpeModel&) = delete;

  static constexpr Index kMaxTokens = Index{1} << 24;

  // Appends the tokens of one word.
  void encode(std::string_view word, std::vector<Token>& tokens, BpeState& state) const;

  // The word's first symbols, then every merge in order. With ignore_merges a word that is a token has no
  // steps.
  std::vector<Token> symbols(std::string_view word) const;
  std::vector<MergeStep> merge_steps(std::string_view word) const;

  const TokenTable& vocab() const { return vocab_; }
  bool bytes_as_characters() const { return bytes_as_characters_; }

 private:
  void add_vocab(std::vector<std::pair<std::string, Token>> vocab, const std::string& where);
  void add_merges(const std::vector<std::pair<std::string, std::string>>& merges, const std::string& where);
  std::optional<Token> whole_word(std::string_view word) const;
  bool append_bytes(std::string_view character, std::vector<Token>& symbols) const;
  void append_unknown(std::string_view character, std::vector<Token>& symbols, bool& unk_is_last) const;
  void append_symbols(std::string_view word, std::vector<Token>& symbols) const;
  void merge(BpeState& state) const;

  BpeParts options_;  // without vocab and merges
  bool bytes_as_characters_;
  TokenTable vocab_;
  MergeTable merges_;
  std::optional<Token> unk_id_;
  std::array<Token, 256> fallback_ids_{};  // of the tokens <0x00> to <0xFF>, or -1
  std::array<Token, 256> byte_ids_{};      // with bytes_as_characters: of each byte's character, or -1
  std::vector<Token> character_ids_;       // of the tokens of one character, by code point, or -1
};

}  // namespace llm
