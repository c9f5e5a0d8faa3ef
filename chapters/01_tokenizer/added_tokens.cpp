#include "chapters/01_tokenizer/added_tokens.h"

#include <algorithm>

#include "chapters/01_tokenizer/unicode_data.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

Index size_of(std::string_view text) { return static_cast<Index>(text.size()); }

// Where the character that ends at `end` begins.
Index character_before(std::string_view text, Index end) {
  Index begin = end - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return begin;
}

bool word_ends_at(std::string_view text, Index at) {
  return at > 0 && is_word(decode_code_point(text, character_before(text, at)).value);
}

bool word_begins_at(std::string_view text, Index at) {
  return at < size_of(text) && is_word(decode_code_point(text, at).value);
}

Index skip_space_left(std::string_view text, Index at) {
  while (at > 0) {
    const Index begin = character_before(text, at);
    if (!is_whitespace(decode_code_point(text, begin).value)) break;
    at = begin;
  }
  return at;
}

Index skip_space_right(std::string_view text, Index at) {
  while (at < size_of(text)) {
    const DecodedCodePoint c = decode_code_point(text, at);
    if (!is_whitespace(c.value)) break;
    at += c.length;
  }
  return at;
}

}  // namespace

const std::size_t* StringFinder::child(const Node& node, char byte) const {
  for (const auto& [label, index] : node.children) {
    if (label == byte) return &index;
  }
  return nullptr;
}

void StringFinder::add(std::string_view text, Token id) {
  if (text.empty()) return;
  starts_[static_cast<unsigned char>(text[0])] = true;
  std::size_t at = 0;
  for (const char byte : text) {
    const std::size_t* next = child(nodes_[at], byte);
    if (next != nullptr) {
      at = *next;
      continue;
    }
    nodes_[at].children.emplace_back(byte, nodes_.size());
    at = nodes_.size();
    nodes_.emplace_back();
  }
  if (nodes_[at].id < 0) nodes_[at].id = id;
}

std::optional<StringFinder::Match> StringFinder::find(std::string_view text, Index from) const {
  // --8<-- [start:ex01-8]
  for (Index begin = from; begin < size_of(text); ++begin) {
    if (!starts_[static_cast<unsigned char>(text[begin])]) continue;
    std::optional<Match> longest;
    std::size_t node = 0;
    for (Index at = begin; at < size_of(text); ++at) {
      const std::size_t* next = child(nodes_[node], text[at]);
      if (next == nullptr) break;
      node = *next;
      if (nodes_[node].id >= 0) longest = Match{begin, at + 1, nodes_[node].id};
    }
    if (longest) return longest;
  }
  return std::nullopt;
  // --8<-- [end:ex01-8]
}

void AddedTokens::add(const std::vector<AddedToken>& tokens, Index vocab_size, const Lookup& model_id,
                      const Normalize& normalize) {
  Index new_ids = 0;
  for (const AddedToken& token : tokens) {
    const auto equal = [&](const auto& entry) { return entry.second == token; };
    if (token.content.empty() || std::any_of(by_id_.begin(), by_id_.end(), equal)) continue;
    std::optional<Token> id = find_id(token.content);
    if (!id) id = model_id(token.content);
    if (!id) id = static_cast<Token>(vocab_size + new_ids++);
    ids_[token.content] = *id;
    by_id_[*id] = token;
    if (token.special) special_.insert(token.content);
  }
  for (const auto& [id, token] : by_id_) {
    shown_[id] = token.normalized ? normalize(token.content) : token.content;
    (token.normalized ? after_ : before_).add(shown_[id], id);
  }
}

void AddedTokens::split(std::string_view text, bool normalized,
                        FunctionRef<void(Index, Index, Token)> part) const {
  const StringFinder& finder = normalized ? after_ : before_;
  Index done = 0;
  for (Index from = 0; !finder.empty();) {
    const auto match = finder.find(text, from);
    if (!match) break;
    from = match->end;
    const AddedToken& token = by_id_.at(match->id);
    Index begin = match->begin, end = match->end;
    if (token.single_word && (word_ends_at(text, begin) || word_begins_at(text, end))) continue;
    if (token.lstrip) begin = std::max(skip_space_left(text, begin), done);
    if (token.rstrip) end = skip_space_right(text, end);
    if (done < begin) part(done, begin, -1);
    if (begin < end) part(begin, end, match->id);  // else all of it went with the token before
    done = end;
  }
  if (done < size_of(text)) part(done, size_of(text), -1);
}

std::optional<Token> AddedTokens::find_id(std::string_view content) const {
  const auto found = ids_.find(std::string(content));
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

const std::string* AddedTokens::find(Token id) const {
  const auto found = shown_.find(id);
  return found == shown_.end() ? nullptr : &found->second;
}

}  // namespace llm
