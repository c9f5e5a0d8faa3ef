// The methods of str that ask what a text consists of: "12".isdigit().
#include <algorithm>
#include <array>

#include "common/text/jinja/arguments.h"
#include "common/text/jinja/string_methods.h"
#include "common/text/jinja/strings.h"
#include "common/text/utf8.h"

namespace llm::jinja {
namespace {

template <bool (*holds)(char32_t), bool when_empty = false>
Value all_are(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("str method", std::move(arguments), {});
  const std::u32string text = decode_utf8(self);
  return Value(text.empty() ? when_empty : std::all_of(text.begin(), text.end(), holds));
}

bool is_alphanumeric(char32_t c) { return is_alpha(c) || is_numeric(c); }
bool is_ascii(char32_t c) { return c < 0x80; }

// islower, isupper: some letter is of this case and none of the other.
template <bool (*wanted)(char32_t), bool (*other)(char32_t)>
Value case_is(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("str method", std::move(arguments), {});
  const std::u32string text = decode_utf8(self);
  const auto is_other = [](char32_t c) { return other(c) || is_title(c); };
  return Value(std::any_of(text.begin(), text.end(), wanted) &&
               std::none_of(text.begin(), text.end(), is_other));
}

Value is_title_case(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("istitle", std::move(arguments), {});
  bool after_letter = false;
  bool found = false;
  for (const char32_t c : decode_utf8(self)) {
    const bool starts_word = is_upper(c) || is_title(c);
    if ((starts_word && after_letter) || (is_lower(c) && !after_letter)) return Value(false);
    after_letter = starts_word || is_lower(c);
    found |= after_letter;
  }
  return Value(found);
}

Value is_identifier(Interpreter&, const std::string& self, Arguments arguments) {
  const Bound bound("isidentifier", std::move(arguments), {});
  const std::u32string text = decode_utf8(self);
  const auto in_name = [](char32_t c) { return c == '_' || is_alpha(c) || is_decimal(c); };
  return Value(!text.empty() && !is_decimal(text[0]) && std::all_of(text.begin(), text.end(), in_name));
}

constexpr std::array<std::pair<const char*, StringMethod>, 12> kPredicates = {{
    {"isalnum", all_are<is_alphanumeric>},
    {"isalpha", all_are<is_alpha>},
    {"isascii", all_are<is_ascii, true>},
    {"isdecimal", all_are<is_decimal>},
    {"isdigit", all_are<is_digit>},
    {"isidentifier", is_identifier},
    {"islower", case_is<is_lower, is_upper>},
    {"isnumeric", all_are<is_numeric>},
    {"isprintable", all_are<is_printable, true>},
    {"isspace", all_are<is_space>},
    {"istitle", is_title_case},
    {"isupper", case_is<is_upper, is_lower>},
}};

}  // namespace

StringMethod find_string_predicate(const std::string& name) {
  const auto known = std::find_if(kPredicates.begin(), kPredicates.end(),
                                  [&](const auto& entry) { return name == entry.first; });
  return known == kPredicates.end() ? nullptr : known->second;
}

}  // namespace llm::jinja
