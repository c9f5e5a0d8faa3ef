#include "chapters/01_tokenizer/pattern_sets.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "chapters/01_tokenizer/unicode_data.h"
#include "common/base/function_ref.h"

namespace llm {
namespace {

std::string range_text(char32_t first, char32_t last) {
  return fmt::format("\\x{{{:X}}}-\\x{{{:X}}}", static_cast<unsigned>(first), static_cast<unsigned>(last));
}

// All code points with a property, as ranges. Takes a moment: for the rare cases only.
std::string ranges_where(FunctionRef<bool(char32_t)> has_property) {
  std::string ranges;
  char32_t begin = 0;
  for (char32_t c = 0; c <= 0x110000; ++c) {
    if (c < 0x110000 && has_property(c)) continue;
    if (begin < c) ranges += range_text(begin, c - 1);
    begin = c + 1;
  }
  return ranges;
}

bool in_category(char32_t c, std::string_view category) {
  return general_category(c).substr(0, category.size()) == category;
}

// The characters of a category that are younger than the installed PCRE2 may be.
std::string newer_members(std::string_view category) {
  std::string ranges;
  for (const CategoryRange& range : kCategoryUpdates) {
    const std::string_view own = range.category;
    if (own.substr(0, category.size()) == category) ranges += range_text(range.first, range.last);
  }
  return ranges;
}

std::string category_members(std::string_view category) {
  if (category == "C" || category == "Cn") {  // shrinks from version to version: nothing to add
    return ranges_where([&](char32_t c) { return in_category(c, category); });
  }
  return "\\p{" + std::string(category) + "}" + newer_members(category);
}

struct Alias {
  std::string_view name, category;
};
constexpr std::array<Alias, 37> kCategories = {{
    {"letter", "L"},
    {"uppercaseletter", "Lu"},
    {"lowercaseletter", "Ll"},
    {"titlecaseletter", "Lt"},
    {"modifierletter", "Lm"},
    {"otherletter", "Lo"},
    {"mark", "M"},
    {"nonspacingmark", "Mn"},
    {"spacingmark", "Mc"},
    {"enclosingmark", "Me"},
    {"number", "N"},
    {"decimalnumber", "Nd"},
    {"letternumber", "Nl"},
    {"othernumber", "No"},
    {"punctuation", "P"},
    {"dashpunctuation", "Pd"},
    {"openpunctuation", "Ps"},
    {"closepunctuation", "Pe"},
    {"initialpunctuation", "Pi"},
    {"finalpunctuation", "Pf"},
    {"connectorpunctuation", "Pc"},
    {"otherpunctuation", "Po"},
    {"symbol", "S"},
    {"mathsymbol", "Sm"},
    {"currencysymbol", "Sc"},
    {"modifiersymbol", "Sk"},
    {"othersymbol", "So"},
    {"separator", "Z"},
    {"spaceseparator", "Zs"},
    {"lineseparator", "Zl"},
    {"paragraphseparator", "Zp"},
    {"other", "C"},
    {"control", "Cc"},
    {"format", "Cf"},
    {"privateuse", "Co"},
    {"surrogate", "Cs"},
    {"unassigned", "Cn"},
}};

// Oniguruma ignores case, blanks, "_" and "-" in names.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != ' ' && c != '_' && c != '-') plain.push_back(static_cast<char>(std::tolower(c)));
  }
  return plain;
}

std::string_view category_named(std::string_view plain) {
  for (const Alias& alias : kCategories) {
    if (plain == alias.name || plain == plain_name(alias.category)) return alias.category;
  }
  return {};
}

std::string alphabetic_members() {
  std::string members = "\\p{Alphabetic}" + newer_members("L");
  for (const CodePointRange& range : kNewerAlphabetic) members += range_text(range.first, range.last);
  return members;
}

}  // namespace

CharacterSet space_set() {
  return {
      R"(\x{9}-\x{D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})"};
}

CharacterSet word_set() {
  return {alphabetic_members() + R"(\p{M}\p{Nd}\p{Nl}\p{Pc})" + newer_members("M") + newer_members("Nd")};
}

CharacterSet lone_word_set() { return {word_set().members + R"(\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE})"}; }

CharacterSet digit_set() { return {category_members("Nd")}; }
CharacterSet hex_set() { return {"0-9a-fA-F"}; }

CharacterSet property_set(std::string_view name) {
  const bool negated = name.starts_with('^');
  if (negated) name.remove_prefix(1);
  const std::string plain = plain_name(name);
  std::string members;
  if (const std::string_view category = category_named(plain); !category.empty()) {
    members = category_members(category);
  } else if (plain == "any") {
    members = range_text(0, 0x10FFFF);
  } else if (plain == "alpha" || plain == "alphabetic") {
    members = alphabetic_members();
  } else if (plain == "alnum") {
    members = alphabetic_members() + category_members("Nd");
  } else if (plain == "digit") {
    members = category_members("Nd");
  } else if (plain == "xdigit") {
    members = hex_set().members;
  } else if (plain == "space" || plain == "whitespace") {
    members = space_set().members;
  } else if (plain == "word") {
    members = lone_word_set().members;
  } else if (plain == "punct") {
    members = category_members("P") + category_members("S");
  } else if (plain == "upper" || plain == "uppercase") {
    members = "\\p{Uppercase}" + newer_members("Lu");
  } else if (plain == "lower" || plain == "lowercase") {
    members = "\\p{Lowercase}" + newer_members("Ll");
  } else if (plain == "han") {
    members = R"(\p{sc:Han}\x{2B739}\x{2EBF0}-\x{2EE5D}\x{31350}-\x{323AF})";
  } else if (plain == "emoji" || plain == "ideographic") {
    members = "\\p{" + std::string(name) + "}";
  } else {
    members = "\\p{sc:" + std::string(name) + "}";  // not PCRE2's default, the script's extensions
  }
  return {members, negated};
}

std::string complement_members(const CharacterSet& set) {
  if (set.members == space_set().members) {
    return ranges_where([](char32_t c) { return !is_whitespace(c); });
  }
  if (set.members == word_set().members) {
    return ranges_where([](char32_t c) { return !is_word(c) || c == 0x200C || c == 0x200D; });
  }
  if (set.members == hex_set().members) {
    return ranges_where([](char32_t c) { return c > 0x7F || std::isxdigit(static_cast<int>(c)) == 0; });
  }
  for (const Alias& alias : kCategories) {
    if (set.members != category_members(alias.category)) continue;
    return ranges_where([&](char32_t c) { return !in_category(c, alias.category); });
  }
  return {};
}

}  // namespace llm
