// What a pattern of a tokenizer.json finds in a text: a literal string, a regular expression or a class of
// characters.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/function_ref.h"
#include "common/base/types.h"

namespace llm {

class Matcher {
 public:
  virtual ~Matcher() = default;

  // Calls found(begin, end) for each match in the text, from left to right; the matches do not overlap. The
  // text is valid UTF-8; begin and end are byte offsets on character boundaries. Matches may be empty, but an
  // empty one never directly follows another match; the empty text has none.
  virtual void for_each_match(std::string_view text, FunctionRef<void(Index, Index)> found) const = 0;
};

// The string itself. The empty string matches between all characters, as an empty regular expression does.
std::unique_ptr<Matcher> make_literal_matcher(std::string literal);

// A regular expression in Oniguruma's syntax (the one of tokenizer.json), run by PCRE2 with its JIT compiler.
// `where` names the pattern's place in error messages. Errors: kFormat for a pattern that does not compile.
std::unique_ptr<Matcher> make_regex_matcher(std::string_view pattern, const std::string& where);

// Characters of a class, each one a match by itself or, if `runs`, as many as follow one another.
std::unique_ptr<Matcher> make_class_matcher(bool (*in_class)(char32_t), bool runs);

// Words (letters, marks, digits, connectors) and runs of what is neither word nor blank: the pre-tokenizer
// "Whitespace".
std::unique_ptr<Matcher> make_word_matcher();

}  // namespace llm
