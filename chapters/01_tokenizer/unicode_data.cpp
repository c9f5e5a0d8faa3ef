#include "chapters/01_tokenizer/unicode_data.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "common/text/utf8.h"

namespace llm {
namespace {

constexpr char32_t kCodePoints = 0x110000;

// In the order of utf8proc_category_t.
constexpr std::array<std::string_view, UTF8PROC_CATEGORY_CO + 1> kCategoryNames = {
    "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps",
    "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co"};

unsigned char classes_of(std::string_view category) {
  unsigned char bits = 0;
  if (category[0] == 'L') bits |= kLetter;
  if (category[0] == 'N') bits |= kNumber;
  if (category[0] == 'M') bits |= kMark;
  if (category == "Lu" || category == "Lt") bits |= kUpper;
  if (category == "Ll") bits |= kLower;
  return bits;
}

// Letters that came in pairs after Unicode 15: the distance from capital to small.
char32_t newer_lowercase(char32_t c) {
  if (c >= 0x10D50 && c <= 0x10D65) return c + 0x20;
  if (c >= 0x16EA0 && c <= 0x16EB8) return c + 0x1B;
  if (c == 0x1C89 || c == 0xA7CC || c == 0xA7CE || c == 0xA7D2 || c == 0xA7D4 || c == 0xA7DA) return c + 1;
  if (c == 0xA7CB) return 0x264;
  if (c == 0xA7DC) return 0x19B;
  return c;
}

}  // namespace

bool contains(const std::vector<CodePointRange>& ranges, char32_t code_point) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), code_point,
                       [](char32_t c, const CodePointRange& range) { return c < range.first; });
  return after != ranges.begin() && code_point <= std::prev(after)->last;
}

std::string_view general_category(char32_t code_point) {
  const auto after = std::upper_bound(kCategoryUpdates.begin(), kCategoryUpdates.end(), code_point,
                                      [](char32_t c, const CategoryRange& range) { return c < range.first; });
  if (after != kCategoryUpdates.begin() && code_point <= std::prev(after)->last) {
    return std::prev(after)->category;
  }
  return utf8proc_category_string(static_cast<utf8proc_int32_t>(code_point));
}

bool is_whitespace(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_number(char32_t c) {
  // Two sets of digits of Unicode 17 count here, although the regular expressions do not know them yet.
  if ((c >= 0x11DE0 && c <= 0x11DE9) || (c >= 0x16FF4 && c <= 0x16FF6)) return true;
  return general_category(c)[0] == 'N';
}

bool is_punctuation(char32_t c) {
  if (contains(kExtraPunctuation, c)) return true;
  return general_category(c)[0] == 'P' && !contains(kNoPunctuation, c);
}

bool is_word(char32_t c) {
  if (c == 0x200C || c == 0x200D) return true;
  // Circled and squared Latin letters are symbols that Unicode calls alphabetic.
  if ((c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) ||
      (c >= 0x1F170 && c <= 0x1F189)) {
    return true;
  }
  const std::string_view category = general_category(c);
  return category[0] == 'L' || category[0] == 'M' || category == "Nd" || category == "Nl" || category == "Pc";
}

std::string lowercase(std::string_view text) {
  std::string lower;
  lower.reserve(text.size());
  for (Index at = 0; at < static_cast<Index>(text.size());) {
    const DecodedCodePoint c = decode_code_point(text, at);
    if (c.value == 0x130) {  // capital I with a dot: the only letter with two small ones
      lower += "i\u0307";
    } else {
      const auto mapped = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c.value)));
      append_code_point(lower, mapped == c.value ? newer_lowercase(c.value) : mapped);
    }
    at += c.length;
  }
  return lower;
}

const std::vector<unsigned char>& character_classes() {
  static const std::vector<unsigned char> table = [] {
    std::array<unsigned char, UTF8PROC_CATEGORY_CO + 1> by_category{};
    for (int c = 0; c <= UTF8PROC_CATEGORY_CO; ++c) by_category[c] = classes_of(kCategoryNames[c]);
    std::vector<unsigned char> classes(kCodePoints);
    for (char32_t c = 0; c < kCodePoints; ++c) {
      classes[c] = by_category[utf8proc_category(static_cast<utf8proc_int32_t>(c))];
    }
    for (char32_t c = 0; c <= 0x3000; ++c) {
      if (is_whitespace(c)) classes[c] |= kSpace;
    }
    for (const CategoryRange& range : kCategoryUpdates) {
      for (char32_t c = range.first; c <= range.last; ++c) classes[c] = classes_of(range.category);
    }
    return classes;
  }();
  return table;
}

}  // namespace llm
