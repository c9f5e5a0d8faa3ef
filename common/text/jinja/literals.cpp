#include "common/text/jinja/literals.h"

#include <cctype>
#include <charconv>
#include <cstdlib>

#include "common/text/utf8.h"

namespace llm::jinja {
namespace {

bool is_digit_of(char c, int base) {
  const int value = c >= '0' && c <= '9'                                ? c - '0'
                    : std::isxdigit(static_cast<unsigned char>(c)) != 0 ? (c | 0x20) - 'a' + 10
                                                                        : 99;
  return value < base;
}

// The end of a run of digits that may be parted by single underscores; `at` itself when there is none.
std::size_t digits_end(std::string_view text, std::size_t at, int base,
                       bool may_start_with_underscore = false) {
  std::size_t end = at;
  while (true) {
    std::size_t next = end;
    if (next < text.size() && text[next] == '_' && (end > at || may_start_with_underscore)) ++next;
    if (next >= text.size() || !is_digit_of(text[next], base)) return end;
    end = next + 1;
  }
}

std::string without_underscores(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != '_') result += c;
  }
  return result;
}

// "1.5", "1e3", "1.5e-3"; 0 when there is no float here.
std::size_t float_length(std::string_view text) {
  const std::size_t whole = digits_end(text, 0, 10);
  std::size_t end = whole;
  if (end < text.size() && text[end] == '.') {
    const std::size_t fraction = digits_end(text, end + 1, 10);
    if (fraction > end + 1) end = fraction;
  }
  if (end < text.size() && (text[end] | 0x20) == 'e') {
    std::size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    const std::size_t exponent_end = digits_end(text, exponent, 10);
    if (exponent_end > exponent) end = exponent_end;
  }
  return end > whole ? end : 0;
}

NumberLiteral parsed_integer(std::string_view text, std::size_t begin, std::size_t end, int base) {
  NumberLiteral literal;
  literal.length = end;
  const std::string digits = without_underscores(text.substr(begin, end - begin));
  literal.fits =
      std::from_chars(digits.data(), digits.data() + digits.size(), literal.integer, base).ec == std::errc();
  return literal;
}

}  // namespace

NumberLiteral scan_number(std::string_view text, bool after_dot) {
  if (const std::size_t length = after_dot ? 0 : float_length(text)) {
    NumberLiteral literal;
    literal.length = length;
    literal.is_float = true;
    const std::string digits = without_underscores(text.substr(0, length));
    literal.number = std::strtod(digits.c_str(), nullptr);  // infinite where it is too large, as in Python
    return literal;
  }
  if (text[0] == '0' && text.size() > 1) {
    const char kind = static_cast<char>(text[1] | 0x20);
    const int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0;
    if (base != 0) {
      const std::size_t end = digits_end(text, 2, base, true);
      if (end > 2) return parsed_integer(text, 2, end, base);
    }
  }
  // A whole number starts with 1 to 9, or is a row of zeros.
  const std::size_t end = digits_end(text, 0, text[0] == '0' ? 1 : 10);
  return parsed_integer(text, 0, end, 10);
}

std::string unescape(std::string_view inside, std::string& text) {
  static constexpr std::string_view kNames = "abfnrtv\\'\"";
  static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  for (std::size_t i = 0; i < inside.size();) {
    const char c = inside[i++];
    if (c != '\\' || i == inside.size()) {
      text += c;
      continue;
    }
    const char escape = inside[i++];
    if (const std::size_t known = kNames.find(escape); known != std::string_view::npos) {
      text += kMeanings[known];
    } else if (escape == '\n') {
      continue;  // a line that goes on
    } else if (is_digit_of(escape, 8)) {
      unsigned value = 0;
      std::size_t end = i - 1;
      for (; end < inside.size() && end < i + 2 && is_digit_of(inside[end], 8); ++end) {
        value = value * 8 + static_cast<unsigned>(inside[end] - '0');
      }
      append_code_point(text, value);
      i = end;
    } else if (escape == 'x' || escape == 'u' || escape == 'U') {
      const std::size_t length = escape == 'x' ? 2 : escape == 'u' ? 4 : 8;
      std::uint32_t value = 0;
      const std::string_view digits = inside.substr(i, length);
      const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
      if (result.ec != std::errc() || result.ptr != digits.data() + length || value > 0x10FFFF) {
        return std::string("a broken \\") + escape + " escape in a string";
      }
      append_code_point(text, value);
      i += length;
    } else if (escape == 'N') {
      return "\\N escapes are not supported";
    } else {
      text += '\\';
      text += escape;
    }
  }
  return {};
}

}  // namespace llm::jinja
