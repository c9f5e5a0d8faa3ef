// Named sets of characters in regular expressions, spelt so that PCRE2 agrees with Oniguruma about them.
#pragma once

#include <string>
#include <string_view>

namespace llm {

// What stands inside brackets: "[" + members + "]" is the set, "[^" + members + "]" its negation.
struct CharacterSet {
  std::string members;
  bool negated = false;  // the set is what the members leave over
};

CharacterSet space_set();  // \s
CharacterSet word_set();   // \w inside brackets
CharacterSet digit_set();  // \d
CharacterSet hex_set();    // \h

// \w by itself, which \b and \B use too: Oniguruma then takes six more characters (² ³ ¹ ¼ ½ ¾) for words.
CharacterSet lone_word_set();

// \p{name}: a general category ("L", "Letter"), a POSIX class ("alpha") or a script ("Han"); a leading "^"
// negates. An unknown name is passed on to PCRE2.
CharacterSet property_set(std::string_view name);

// The members of a negated set, written without negation, for use among other members.
// Empty for sets whose complement is not known (scripts).
std::string complement_members(const CharacterSet& set);

}  // namespace llm
