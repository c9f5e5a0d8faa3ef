// Letters and case, from utf8proc's tables of the Unicode database.
#include <utf8proc.h>

#include "common/text/jinja/special_cases.h"
#include "common/text/jinja/strings.h"
#include "common/text/utf8.h"

namespace llm::jinja {
namespace {

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool between(char32_t c, utf8proc_category_t first, utf8proc_category_t last) {
  return category(c) >= first && category(c) <= last;
}

const SpecialCase* special_case(char32_t c) {
  for (const SpecialCase& special : kSpecialCases) {
    if (special.character == c) return &special;
  }
  return nullptr;
}

void append_upper(std::string& text, char32_t c) {
  const SpecialCase* special = c < 0x80 ? nullptr : special_case(c);
  if (special != nullptr) {
    text += encode_utf8(special->upper);
  } else {
    append_code_point(text, static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c))));
  }
}

void append_title(std::string& text, char32_t c) {
  const SpecialCase* special = c < 0x80 ? nullptr : special_case(c);
  if (special != nullptr) {
    text += encode_utf8(special->title);
  } else {
    append_code_point(text, static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c))));
  }
}

bool is_cased(char32_t c) { return is_upper(c) || is_lower(c) || is_title(c); }

// Marks and the like, which do not end a word when the form of a sigma is chosen.
bool is_case_ignorable(char32_t c) {
  return c == '\'' || c == '.' || c == ':' || c == '^' || c == '`' || c == 0xB7 || c == 0x2019 ||
         between(c, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MN) ||
         between(c, UTF8PROC_CATEGORY_ME, UTF8PROC_CATEGORY_ME) || category(c) == UTF8PROC_CATEGORY_CF ||
         category(c) == UTF8PROC_CATEGORY_LM || category(c) == UTF8PROC_CATEGORY_SK;
}

// Whether the capital sigma at `at` ends a word, so that its small form is the final one.
bool is_final_sigma(std::u32string_view text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  std::size_t after = at + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

void append_lower(std::string& text, std::u32string_view source, std::size_t at) {
  const char32_t c = source[at];
  if (c == 0x3A3) {
    append_code_point(text, is_final_sigma(source, at) ? U'\u03C2' : U'\u03C3');
  } else if (c == 0x130) {
    text += "i\xCC\x87";
  } else {
    append_code_point(text, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
  }
}

}  // namespace

bool is_alpha(char32_t c) { return between(c, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO); }

bool is_upper(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LU || (c >= 0x2160 && c <= 0x216F) || (c >= 0x24B6 && c <= 0x24CF);
}

bool is_lower(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LL || c == 0xAA || c == 0xBA || (c >= 0x2170 && c <= 0x217F) ||
         (c >= 0x24D0 && c <= 0x24E9) || (c >= 0x2B0 && c <= 0x2B8);
}

bool is_title(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LT; }
bool is_decimal(char32_t c) { return category(c) == UTF8PROC_CATEGORY_ND; }

bool is_digit(char32_t c) {
  return is_decimal(c) || c == 0xB2 || c == 0xB3 || c == 0xB9 || c == 0x2070 ||
         (c >= 0x2074 && c <= 0x2079) || (c >= 0x2080 && c <= 0x2089) || (c >= 0x2460 && c <= 0x2468) ||
         (c >= 0x2474 && c <= 0x247C);
}

bool is_numeric(char32_t c) { return is_digit(c) || between(c, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO); }

bool is_printable(char32_t c) {
  return c == ' ' ||
         (category(c) != UTF8PROC_CATEGORY_CN && !between(c, UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_CO));
}

std::string to_upper(std::string_view text) {
  std::string result;
  for (const char32_t c : decode_utf8(text)) append_upper(result, c);
  return result;
}

std::string to_lower(std::string_view text) {
  std::string result;
  const std::u32string source = decode_utf8(text);
  for (std::size_t i = 0; i < source.size(); ++i) append_lower(result, source, i);
  return result;
}

std::string first_to_title(std::string_view text) {
  if (text.empty()) return {};
  std::string result;
  const DecodedCodePoint first = decode_code_point(text, 0);
  append_title(result, first.value);
  return result.append(text.substr(static_cast<std::size_t>(first.length)));
}

std::string capitalize(std::string_view text) {
  std::string result;
  const std::u32string source = decode_utf8(text);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (i == 0) {
      append_title(result, source[i]);
    } else {
      append_lower(result, source, i);
    }
  }
  return result;
}

std::string title(std::string_view text) {
  std::string result;
  bool after_letter = false;
  const std::u32string source = decode_utf8(text);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (after_letter) {
      append_lower(result, source, i);
    } else {
      append_title(result, source[i]);
    }
    after_letter = is_cased(source[i]);
  }
  return result;
}

std::string fold_case(std::string_view text) {
  std::string result;
  for (const char32_t c : decode_utf8(text)) {
    utf8proc_int32_t folded[8];
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), folded, 8, UTF8PROC_CASEFOLD, nullptr);
    for (utf8proc_ssize_t i = 0; i < count; ++i) append_code_point(result, static_cast<char32_t>(folded[i]));
  }
  return result;
}

std::string swap_case(std::string_view text) {
  std::string result;
  const std::u32string source = decode_utf8(text);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (is_upper(source[i])) {
      append_lower(result, source, i);
    } else if (is_lower(source[i])) {
      append_upper(result, source[i]);
    } else {
      append_code_point(result, source[i]);
    }
  }
  return result;
}

}  // namespace llm::jinja
