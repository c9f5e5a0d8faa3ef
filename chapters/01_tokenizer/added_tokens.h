// Added tokens: strings such as <|im_start|> that are found in the text before anything else happens to it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/base/function_ref.h"
#include "common/base/types.h"

namespace llm {

struct AddedToken {
  std::string content;
  bool single_word = false;  // only where no letter, mark or digit touches it
  bool lstrip = false;       // takes the blanks on its left with it
  bool rstrip = false;       // and those on its right
  bool normalized = true;    // is looked for after normalization, in its own normalized form
  bool special = false;      // can be left out when decoding

  bool operator==(const AddedToken&) const = default;
};

// Finds the longest of several strings at every place of a text.
class StringFinder {
 public:
  StringFinder() : nodes_(1) {}

  void add(std::string_view text,
           Token id);  // the empty string is left out; the first of two equal strings stays
  bool empty() const { return nodes_.size() == 1; }

  struct Match {
    Index begin, end;
    Token id;
  };
  // The next match that begins at `from` or later: the leftmost, and of those the longest.
  std::optional<Match> find(std::string_view text, Index from) const;

 private:
  struct Node {
    std::vector<std::pair<char, std::size_t>> children;
    Token id = -1;  // of the string that ends here
  };
  const std::size_t* child(const Node& node, char byte) const;

  std::vector<Node> nodes_;
  std::vector<bool> starts_ = std::vector<bool>(256);  // bytes that a string begins with
};

class AddedTokens {
 public:
  using Lookup = std::function<std::optional<Token>(const std::string&)>;
  using Normalize = std::function<std::string(const std::string&)>;

  // In the order of the file. A token's id is its id in the model's vocabulary or that of an equal token
  // before it; other tokens are numbered from the vocabulary's size on. (As in the tokenizers library, the
  // "id" in the file is not used.)
  void add(const std::vector<AddedToken>& tokens, Index vocab_size, const Lookup& model_id,
           const Normalize& normalize);

  // Calls part(begin, end, id) for the parts of the text, in order; id is -1 for text between added tokens.
  // `normalized` chooses the tokens that are looked for in normalized text or those that are looked for
  // before.
  void split(std::string_view text, bool normalized, FunctionRef<void(Index, Index, Token)> part) const;

  std::optional<Token> find_id(std::string_view content) const;
  // The string of an added token, in its normalized form if it is looked for in that; null for another id.
  const std::string* find(Token id) const;
  bool is_special(const std::string& content) const { return special_.contains(content); }
  Index max_id() const { return by_id_.empty() ? -1 : by_id_.rbegin()->first; }
  const std::map<Token, AddedToken>& by_id() const { return by_id_; }

 private:
  std::unordered_map<std::string, Token> ids_;
  std::map<Token, AddedToken> by_id_;
  std::unordered_map<Token, std::string> shown_;
  std::unordered_set<std::string> special_;
  StringFinder before_, after_;
};

}  // namespace llm
