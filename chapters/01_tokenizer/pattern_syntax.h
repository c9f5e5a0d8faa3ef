// Regular expressions are written in dialects. A tokenizer.json speaks Oniguruma's, our engine is PCRE2.
#pragma once

#include <string>
#include <string_view>

namespace llm {

// The same pattern in PCRE2's dialect. What differs and matters:
//   \h       a hexadecimal digit, not a blank
//   \s \w \b Unicode's White_Space; letters, marks, digits and connectors (PCRE2 counts U+180E and forgets
//   marks) \p{..}   categories and scripts as of Unicode 16, whatever PCRE2 has \uHHHH   a code point \v the
//   vertical tab alone
//   (?m)     lets "." match line feeds (PCRE2's s)
//   {n,m}+   repeats the repetition; it is not possessive. {,n} counts from 0
// Errors: kUnsupported for set operations inside brackets ([a&&b], [a[b]]); `where` names the pattern's
// place.
std::string to_pcre2_syntax(std::string_view pattern, const std::string& where);

}  // namespace llm
