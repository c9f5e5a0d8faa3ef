#include "chapters/01_tokenizer/bpe_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "chapters/01_tokenizer/byte_map.h"
#include "common/base/error.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

constexpr Token kNone = -1;

}  // namespace

BpeModel::BpeModel(BpeParts parts, bool bytes_as_characters, const std::string& where)
    : bytes_as_characters_(bytes_as_characters) {
  add_vocab(std::move(parts.vocab), where);
  options_ = std::move(parts);
  add_merges(options_.merges, where);
  options_.merges.clear();
  options_.merges.shrink_to_fit();
  for (int byte = 0; byte < 256; ++byte) {
    fallback_ids_[byte] = vocab_.find(fmt::format("<0x{:02X}>", byte)).value_or(kNone);
    if (!bytes_as_characters_) continue;
    const auto character = bytes_to_characters(std::string(1, static_cast<char>(byte)));
    byte_ids_[byte] = vocab_.find(character).value_or(kNone);
  }
  if (!options_.unk_token) return;
  unk_id_ = vocab_.find(*options_.unk_token);
  if (!unk_id_) {
    fail(ErrorCode::kFormat, {.where = where + ": model.unk_token",
                              .what = "'" + *options_.unk_token + "' is not in model.vocab"});
  }
}

void BpeModel::add_vocab(std::vector<std::pair<std::string, Token>> vocab, const std::string& where) {
  Token max_id = kNone;
  for (const auto& [text, id] : vocab) {
    if (id < 0 || id >= kMaxTokens) {
      fail(ErrorCode::kRange, {.where = where + ": model.vocab",
                               .what = "the id of token '" + text + "' is",
                               .got = std::to_string(id),
                               .expected = fmt::format("0 to {}", kMaxTokens - 1)});
    }
    max_id = std::max(max_id, id);
  }
  vocab_ = TokenTable(static_cast<Index>(vocab.size()), max_id);
  for (auto& [text, id] : vocab) vocab_.add(std::move(text), id);
  for (const auto& [text, id] : vocab_.entries()) {
    if (text.empty()) continue;
    const DecodedCodePoint first = decode_code_point(text, 0);
    if (!first.valid || first.length != static_cast<Index>(text.size())) continue;
    if (first.value >= character_ids_.size()) character_ids_.resize(first.value + 1, kNone);
    character_ids_[first.value] = id;
  }
}

void BpeModel::add_merges(const std::vector<std::pair<std::string, std::string>>& merges,
                          const std::string& where) {
  merges_ = MergeTable(static_cast<Index>(merges.size()));
  const std::size_t prefix_bytes = options_.continuing_subword_prefix.size();
  std::string joined;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto id_of = [&](const std::string& text) {
      if (const auto id = vocab_.find(text)) return *id;
      fail(ErrorCode::kFormat, {.where = fmt::format("{}: model.merges[{}]", where, rank),
                                .what = fmt::format("'{}' + '{}':", merges[rank].first, merges[rank].second),
                                .got = "'" + text + "' is not in model.vocab",
                                .expected = "a token"});
    };
    const auto& [left, right] = merges[rank];
    const Token left_id = id_of(left), right_id = id_of(right);
    joined.assign(left).append(right, std::min(prefix_bytes, right.size()));
    merges_.set(left_id, right_id, {static_cast<std::int32_t>(rank), id_of(joined)});
  }
}

std::optional<Token> BpeModel::whole_word(std::string_view word) const {
  if (!options_.ignore_merges) return std::nullopt;
  return vocab_.find(bytes_as_characters_ ? bytes_to_characters(word) : std::string(word));
}

// Appends the tokens <0xNN> of a character's UTF-8 bytes; false, and nothing appended, if one is missing.
bool BpeModel::append_bytes(std::string_view character, std::vector<Token>& symbols) const {
  // --8<-- [start:ex01-6]
  std::vector<Token> tokens;
  for (const char byte : character) {
    const Token id = fallback_ids_[static_cast<unsigned char>(byte)];
    if (id == kNone) return false;
    tokens.push_back(id);
  }
  symbols.insert(symbols.end(), tokens.begin(), tokens.end());
  return true;
  // --8<-- [end:ex01-6]
}

// A character that is no token: its bytes' tokens if the model has them all, else the unknown token.
void BpeModel::append_unknown(std::string_view character, std::vector<Token>& symbols,
                              bool& unk_waits) const {
  if (options_.byte_fallback && append_bytes(character, symbols)) return;
  if (!unk_id_) return;  // no token, no trace of it: as in the tokenizers library
  if (unk_waits && !options_.fuse_unk) symbols.push_back(*unk_id_);
  unk_waits = true;
}

std::vector<Token> BpeModel::symbols(std::string_view word) const {
  std::vector<Token> symbols;
  append_symbols(word, symbols);
  return symbols;
}

void BpeModel::append_symbols(std::string_view word, std::vector<Token>& symbols) const {
  bool unk_waits = false;  // an unknown token that is still to be written, since more may be fused with it
  const bool plain = options_.continuing_subword_prefix.empty() && options_.end_of_word_suffix.empty();
  const auto size = static_cast<Index>(word.size());
  for (Index at = 0, length = 1; at < size; at += length) {
    Token id = kNone;
    std::string character;
    if (bytes_as_characters_) {
      id = byte_ids_[static_cast<unsigned char>(word[at])];
      if (id == kNone) character = bytes_to_characters(word.substr(at, 1));
    } else {
      const DecodedCodePoint c = decode_code_point(word, at);
      length = c.length;
      if (plain && c.value < character_ids_.size()) id = character_ids_[c.value];
      if (id == kNone) {
        if (at > 0) character = options_.continuing_subword_prefix;
        character += word.substr(at, length);
        if (at + length == size) character += options_.end_of_word_suffix;
        if (!plain) id = vocab_.find(character).value_or(kNone);
      }
    }
    if (id == kNone) {
      append_unknown(character, symbols, unk_waits);
      continue;
    }
    if (unk_waits) symbols.push_back(*unk_id_);
    unk_waits = false;
    symbols.push_back(id);
  }
  if (unk_waits) symbols.push_back(*unk_id_);
}

void BpeModel::encode(std::string_view word, std::vector<Token>& tokens, BpeState& state) const {
  if (const auto known = state.cache.find(word)) {
    tokens.insert(tokens.end(), known->begin(), known->end());
    return;
  }
  state.symbols.clear();
  if (const auto whole = whole_word(word)) {
    state.symbols.push_back(*whole);
  } else {
    append_symbols(word, state.symbols);
    merge(state);
  }
  state.cache.insert(word, state.symbols);
  tokens.insert(tokens.end(), state.symbols.begin(), state.symbols.end());
}

// Joins state.symbols until no pair has a merge. The symbols form a linked list; a tree over the ranks of the
// pairs finds the next one, so that a word of a million symbols (a text without blanks) takes no quadratic
// time.
void BpeModel::merge(BpeState& state) const {
  std::vector<Token>& symbols = state.symbols;
  const auto count = static_cast<std::int32_t>(symbols.size());
  if (count < 2) return;
  state.next.resize(symbols.size());
  state.previous.resize(symbols.size());
  state.results.resize(symbols.size());
  state.ranks.reset(count);
  // Notes what becomes of symbol i and the one behind it, and how early.
  const auto rank_of = [&](std::int32_t i) {
    const Merge* merge = state.next[i] < count ? merges_.find(symbols[i], symbols[state.next[i]]) : nullptr;
    if (merge == nullptr) return MinTree::kNothing;
    state.results[i] = merge->result;
    return merge->rank;
  };
  for (std::int32_t i = 0; i < count; ++i) {
    state.next[i] = i + 1;
    state.previous[i] = i - 1;
    state.ranks.fill(i, rank_of(i));
  }
  state.ranks.build();
  // --8<-- [start:merge_loop]
  for (Index best; (best = state.ranks.smallest()) >= 0;) {
    const auto at = static_cast<std::int32_t>(best);
    const std::int32_t gone = state.next[at], after = state.next[gone], before = state.previous[at];
    symbols[at] = state.results[at];
    symbols[gone] = kNone;
    state.next[at] = after;
    if (after < count) state.previous[after] = at;
    state.ranks.set(gone, MinTree::kNothing);
    state.ranks.set(at, rank_of(at));
    if (before >= 0) state.ranks.set(before, rank_of(before));
  }
  // --8<-- [end:merge_loop]
  std::erase(symbols, kNone);
}

std::vector<MergeStep> BpeModel::merge_steps(std::string_view word) const {
  std::vector<MergeStep> steps;
  if (whole_word(word)) return steps;
  std::vector<Token> tokens = symbols(word);
  // --8<-- [start:ex01-2]
  while (true) {
    const Merge* best = nullptr;
    Index at = 0;
    for (Index i = 0; i + 1 < static_cast<Index>(tokens.size()); ++i) {
      const Merge* merge = merges_.find(tokens[i], tokens[i + 1]);
      if (merge == nullptr || (best != nullptr && merge->rank >= best->rank)) continue;
      best = merge;
      at = i;
    }
    if (best == nullptr) return steps;
    MergeStep step{at, best->rank, tokens[at], tokens[at + 1], best->result, {}};
    tokens[at] = best->result;
    tokens.erase(tokens.begin() + at + 1);
    step.tokens = tokens;
    steps.push_back(std::move(step));
  }
  // --8<-- [end:ex01-2]
}

}  // namespace llm
