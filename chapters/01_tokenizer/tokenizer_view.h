// How the program shows tokens on a terminal.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_tokenizer/tokenizer.h"
#include "common/base/types.h"

namespace llm {

struct ViewOptions {
  bool colour = false;  // a coloured background for each token; otherwise "|" between tokens
};

// A token's bytes for reading: blanks as "·", line ends as "⏎", tabs as "⇥", bytes of an unfinished character
// as "⟨E4⟩".
std::string visible_token(std::string_view bytes);

// All tokens of a text, one after the other; a line end is followed by a new line.
std::string token_strip(const Tokenizer& tokenizer, std::span<const Token> ids, const ViewOptions& options);

// A word's merges, a line each: the tokens so far, the two that were joined, and the rank of the merge.
std::string merge_steps_text(const Tokenizer& tokenizer, const ExplainedWord& word,
                             const ViewOptions& options);

// Two tokenizations of one text in two columns, with a new row wherever both end a token at the same byte.
struct NamedTokens {
  std::string name;
  const Tokenizer* tokenizer = nullptr;
  std::vector<Token> ids;
};
std::string side_by_side(const NamedTokens& left, const NamedTokens& right, const ViewOptions& options);

}  // namespace llm
