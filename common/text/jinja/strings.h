// Python's view of text: what its str methods call a space, a letter or a line, and how it writes values.
// Positions and lengths are in code points. Text is UTF-8 and taken as valid.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/types.h"
#include "common/text/jinja/value.h"

namespace llm::jinja {

// str.isspace of one character: what strip and split without arguments remove.
bool is_space(char32_t c);
bool is_alpha(char32_t c);
bool is_upper(char32_t c);
bool is_lower(char32_t c);
bool is_title(char32_t c);
bool is_decimal(char32_t c);
bool is_digit(char32_t c);
bool is_numeric(char32_t c);
bool is_printable(char32_t c);

// Case as Unicode has it, the special cases too ("ß" becomes "SS"); source: Unicode's SpecialCasing.txt.
std::string to_upper(std::string_view text);
std::string to_lower(std::string_view text);
// The first character of the text in title case, the others as they are.
std::string first_to_title(std::string_view text);
std::string capitalize(std::string_view text);  // str.capitalize: first in title case, the rest lower
std::string title(std::string_view text);       // str.title: so for each run of letters
std::string swap_case(std::string_view text);
std::string fold_case(std::string_view text);  // str.casefold, for comparing

// str.strip and its halves; chars: the set of characters to remove, nothing for white space.
enum class Side { kBoth, kLeft, kRight };
std::string_view strip(std::string_view text, std::optional<std::string_view> chars = {},
                       Side side = Side::kBoth);

// str.split and str.rsplit; max_split < 0: no limit. A separator is not empty.
std::vector<std::string> split(std::string_view text, std::string_view separator, Index max_split,
                               bool from_right);
std::vector<std::string> split_spaces(std::string_view text, Index max_split, bool from_right);
std::vector<std::string> split_lines(std::string_view text, bool keep_ends);

// str.replace; count < 0: all. An empty `old` matches between all characters.
std::string replace(std::string_view text, std::string_view old, std::string_view replacement, Index count,
                    Budget& budget);

// Byte position of the code point with this index, at most text.size().
std::size_t byte_offset(std::string_view text, Index code_points);

// What html.escape does to & < > ' ".
std::string escape_html(std::string_view text);

// repr() of a float: the shortest decimals that read back as the same number. "1.0", "1e-05", "nan".
std::string float_repr(double number);
// repr() of a str: in quotes, with escapes for what cannot be printed.
std::string string_repr(std::string_view text);

// str(x) and repr(x).
std::string to_text(const Value& value, Budget& budget);
std::string repr(const Value& value, Budget& budget);

// json.dumps with the arguments that chat templates may give; an empty optional is Python's None.
struct JsonStyle {
  bool ensure_ascii = false;
  std::optional<std::string> indent;  // what one level is indented by
  std::optional<std::string> item_separator;
  std::string key_separator = ": ";
  bool sort_keys = false;
};
std::string to_json(const Value& value, const JsonStyle& style, Budget& budget);

}  // namespace llm::jinja
