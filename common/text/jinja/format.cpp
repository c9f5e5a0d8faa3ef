#include "common/text/jinja/format.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "common/text/jinja/strings.h"
#include "common/text/utf8.h"

namespace llm::jinja {
namespace {

// Digits with a separator after every third (from the right, before the point).
std::string group(const std::string& digits, char separator, std::size_t every) {
  std::size_t whole = 0;
  while (whole < digits.size() && std::isxdigit(static_cast<unsigned char>(digits[whole])) != 0 &&
         !(every == 3 && std::isdigit(static_cast<unsigned char>(digits[whole])) == 0)) {
    ++whole;
  }
  std::string result;
  for (std::size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % every == 0) result += separator;
    result += digits[i];
  }
  return result + digits.substr(whole);
}

std::string pad(std::string prefix, std::string body, const FormatSpec& spec, char default_align) {
  const char align = spec.align == 0 ? default_align : spec.align;
  const Index missing = std::max<Index>(0, spec.width - count_code_points(prefix) - count_code_points(body));
  const Index left = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  std::string before;
  std::string after;
  for (Index i = 0; i < missing; ++i) append_code_point(i < left ? before : after, spec.fill);
  return align == '=' ? prefix + before + body : before + prefix + body + after;
}

std::string sign_of(bool negative, char sign) {
  if (negative) return "-";
  return sign == '-' ? "" : std::string(1, sign);
}

bool is_align(char32_t c) { return c == '<' || c == '>' || c == '^' || c == '='; }

}  // namespace

std::string format_integer(Index number, const FormatSpec& spec) {
  const auto magnitude =
      number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  std::string digits;
  std::string prefix;
  switch (spec.type) {
    case 'x':
      digits = fmt::format("{:x}", magnitude);
      prefix = "0x";
      break;
    case 'X':
      digits = fmt::format("{:X}", magnitude);
      prefix = "0X";
      break;
    case 'o':
      digits = fmt::format("{:o}", magnitude);
      prefix = "0o";
      break;
    case 'b':
      digits = fmt::format("{:b}", magnitude);
      prefix = "0b";
      break;
    default: digits = std::to_string(magnitude);
  }
  if (spec.precision > static_cast<Index>(digits.size())) {  // only of "%.3d"
    digits.insert(0, static_cast<std::size_t>(spec.precision) - digits.size(), '0');
  }
  if (spec.grouping != 0) digits = group(digits, spec.grouping, prefix.empty() ? 3 : 4);
  return pad(sign_of(number < 0, spec.sign) + (spec.alternate ? prefix : ""), digits, spec, '>');
}

std::string format_float(double number, const FormatSpec& spec) {
  const bool negative = std::signbit(number) && !std::isnan(number);
  const double magnitude = std::abs(number);
  const int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
  std::string digits;
  if (!std::isfinite(number)) {
    const bool upper = spec.type == 'F' || spec.type == 'E' || spec.type == 'G';
    digits = std::isnan(number) ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf");
  } else if (spec.type == 0 && spec.precision < 0) {
    digits = float_repr(magnitude);
  } else if (spec.type == '%') {
    digits = fmt::format("{:.{}f}%", magnitude * 100, precision);
  } else if (spec.type == 'e' || spec.type == 'E') {
    digits = fmt::format(fmt::runtime(spec.type == 'e' ? "{:.{}e}" : "{:.{}E}"), magnitude, precision);
  } else if (spec.type == 'g' || spec.type == 'G' || spec.type == 0 || spec.type == 'n') {
    digits = fmt::format(fmt::runtime(spec.type == 'G' ? "{:.{}G}" : "{:.{}g}"), magnitude,
                         std::max(precision, 1));
    if (spec.type == 0 && digits.find_first_of(".e") == std::string::npos) digits += ".0";
  } else {
    digits = fmt::format("{:.{}f}", magnitude, precision);
  }
  if (spec.grouping != 0) digits = group(digits, spec.grouping, 3);
  return pad(sign_of(negative, spec.sign), digits, spec, '>');
}

FormatSpec parse_format_spec(std::string_view text) {
  FormatSpec spec;
  std::u32string rest = decode_utf8(text);
  std::size_t at = 0;
  const auto peek = [&](std::size_t ahead = 0) {
    return at + ahead < rest.size() ? rest[at + ahead] : U'\0';
  };
  const auto number = [&] {
    Index value = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at) {
      value = value * 10 + static_cast<Index>(peek() - '0');
      if (value > kMaxWidth)
        fault("a format spec with a width above " + std::to_string(kMaxWidth), ErrorCode::kRange);
    }
    return value;
  };
  if (is_align(peek(1))) {
    spec.fill = peek();
    spec.align = static_cast<char>(peek(1));
    at += 2;
  } else if (is_align(peek())) {
    spec.align = static_cast<char>(rest[at++]);
  }
  if (peek() == '+' || peek() == '-' || peek() == ' ') spec.sign = static_cast<char>(rest[at++]);
  if (peek() == '#') {
    spec.alternate = true;
    ++at;
  }
  if (peek() == '0') {
    if (spec.align == 0) {
      spec.fill = '0';
      spec.align = '=';
    }
    ++at;
  }
  spec.width = number();
  if (peek() == ',' || peek() == '_') spec.grouping = static_cast<char>(rest[at++]);
  if (peek() == '.') {
    ++at;
    if (peek() < '0' || peek() > '9') fault("Format specifier missing precision");
    spec.precision = number();
  }
  if (at < rest.size() && peek() < 0x80) spec.type = static_cast<char>(rest[at++]);
  if (at < rest.size()) fault("Invalid format specifier");
  return spec;
}

std::string format_value(const Value& value, const FormatSpec& spec, Budget& budget) {
  budget.use_bytes(spec.width);
  const std::string_view type(&spec.type, 1);
  if (value.is_integral() && std::string_view("\0dxXobn", 7).find(type) != std::string_view::npos) {
    if (spec.precision >= 0) fault("Precision not allowed in integer format specifier");
    return format_integer(value.integer(), spec);
  }
  if (value.is_number() && std::string_view("eEfFgGn%").find(type) != std::string_view::npos) {
    return format_float(value.number(), spec);
  }
  if (value.is(Kind::kFloat) && spec.type == 0) return format_float(value.number(), spec);
  if (value.is_integral() && spec.type == 'c') {
    std::string character;
    append_code_point(character, static_cast<char32_t>(value.integer()));
    return pad("", character, spec, '<');
  }
  const bool default_spec = spec.width == 0 && spec.precision < 0 && spec.align == 0 && spec.type == 0;
  if (!value.is_string() && !default_spec)
    fault("unsupported format string passed to " + type_name(value) + ".__format__");
  if (spec.type != 0 && spec.type != 's') {
    fault("Unknown format code '" + std::string(type) + "' for object of type '" + type_name(value) + "'");
  }
  if (spec.align == '=' && value.is_string()) fault("'=' alignment not allowed in string format specifier");
  std::string text = to_text(value, budget);
  if (spec.precision >= 0) text.resize(byte_offset(text, spec.precision));
  return pad("", std::move(text), spec, '<');
}

}  // namespace llm::jinja
