// Values as text: str(), repr() and json.dumps() of Python.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/text/jinja/strings.h"
#include "common/text/utf8.h"

namespace llm::jinja {
namespace {

// Appends to a text and charges every byte to the budget.
class Writer {
 public:
  explicit Writer(Budget& budget) : budget_(budget) {}

  void put(std::string_view part) {
    budget_.step();
    const auto size = static_cast<Index>(text_.size() + part.size());
    budget_.use_bytes(size > kMaxObject_bytes ? size : static_cast<Index>(part.size()));
    text_ += part;
  }
  Budget& budget() { return budget_; }
  std::string take() { return std::move(text_); }

 private:
  Budget& budget_;
  std::string text_;
};

void write_repr(Writer& out, const Value& value);

void write_items(Writer& out, const Items& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out.put(", ");
    write_repr(out, items[i]);
  }
}

void write_repr(Writer& out, const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined: return out.put("Undefined");
    case Kind::kNone: return out.put("None");
    case Kind::kBool: return out.put(value.boolean() ? "True" : "False");
    case Kind::kInt: return out.put(std::to_string(value.integer()));
    case Kind::kFloat: return out.put(float_repr(value.number()));
    case Kind::kString:
      return out.put(value.is_markup() ? "Markup(" + string_repr(value.string()) + ")"
                                       : string_repr(value.string()));
    case Kind::kList:
      out.put("[");
      write_items(out, value.items());
      return out.put("]");
    case Kind::kTuple:
      out.put("(");
      write_items(out, value.items());
      return out.put(value.items().size() == 1 ? ",)" : ")");
    case Kind::kDict: {
      bool first = true;
      for (const auto& [key, item] : value.dict().entries()) {
        out.put(first ? "{" : ", ");
        write_repr(out, key);
        out.put(": ");
        write_repr(out, item);
        first = false;
      }
      return out.put(first ? "{}" : "}");
    }
    case Kind::kObject: return out.put(value.object().repr(out.budget()));
  }
}

// The escapes that JSON has besides \uXXXX.
const char* short_json_escape(char32_t c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    case '\f': return "\\f";
    case '\b': return "\\b";
    default: return nullptr;
  }
}

std::string json_string(std::string_view text, bool ensure_ascii) {
  std::string result = "\"";
  for (const char32_t c : decode_utf8(text)) {
    const auto code = static_cast<unsigned>(c);
    if (const char* escape = short_json_escape(c)) {
      result += escape;
    } else if (code < 0x20 || (ensure_ascii && code > 0x7E && code < 0x10000)) {
      result += fmt::format("\\u{:04x}", code);
    } else if (ensure_ascii && code >= 0x10000) {
      result += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((code - 0x10000) >> 10),
                            0xDC00 + ((code - 0x10000) & 0x3FF));
    } else {
      append_code_point(result, c);
    }
  }
  return result + "\"";
}

std::string json_float(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return float_repr(number);
}

class JsonWriter {
 public:
  JsonWriter(const JsonStyle& style, Budget& budget) : style_(style), out_(budget) {
    item_separator_ = style.item_separator.value_or(style.indent ? "," : ", ");
  }

  void write(const Value& value, int level) {
    switch (value.kind()) {
      case Kind::kNone: return out_.put("null");
      case Kind::kBool: return out_.put(value.boolean() ? "true" : "false");
      case Kind::kInt: return out_.put(std::to_string(value.integer()));
      case Kind::kFloat: return out_.put(json_float(value.number()));
      case Kind::kString: return out_.put(json_string(value.string(), style_.ensure_ascii));
      case Kind::kList:
      case Kind::kTuple: return write_list(value.items(), level);
      case Kind::kDict: return write_dict(value.dict(), level);
      default: fault("Object of type " + type_name(value) + " is not JSON serializable");
    }
  }
  std::string take() { return out_.take(); }

 private:
  void new_line(int level) {
    if (!style_.indent) return;
    out_.put("\n");
    for (int i = 0; i < level; ++i) out_.put(*style_.indent);
  }

  void write_list(const Items& items, int level) {
    if (items.empty()) return out_.put("[]");
    out_.put("[");
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_.put(item_separator_);
      new_line(level + 1);
      write(items[i], level + 1);
    }
    new_line(level);
    out_.put("]");
  }

  std::string key_text(const Value& key) {
    switch (key.kind()) {
      case Kind::kString: return key.string();
      case Kind::kNone: return "null";
      case Kind::kBool: return key.boolean() ? "true" : "false";
      case Kind::kInt: return std::to_string(key.integer());
      case Kind::kFloat: return json_float(key.number());
      default: fault("keys must be str, int, float, bool or None, not " + type_name(key));
    }
  }

  void write_dict(const Dict& dict, int level) {
    if (dict.size() == 0) return out_.put("{}");
    std::vector<std::pair<std::string, const Value*>> entries;
    for (const auto& [key, value] : dict.entries()) entries.emplace_back(key_text(key), &value);
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    out_.put("{");
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) out_.put(item_separator_);
      new_line(level + 1);
      out_.put(json_string(entries[i].first, style_.ensure_ascii));
      out_.put(style_.key_separator);
      write(*entries[i].second, level + 1);
    }
    new_line(level);
    out_.put("}");
  }

  const JsonStyle& style_;
  Writer out_;
  std::string item_separator_;
};

}  // namespace

std::string float_repr(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  // "d.ddde+XX" with the fewest digits that read back as the number, then laid out as Python does.
  char buffer[40];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(number), std::chars_format::scientific);
  const std::string shortest(buffer, end.ptr);
  const std::size_t e = shortest.find('e');
  const int exponent = std::stoi(shortest.substr(e + 1));
  std::string digits = shortest.substr(0, 1);
  if (e > 2) digits += shortest.substr(2, e - 2);
  const int count = static_cast<int>(digits.size());
  std::string text;
  if (exponent < -4 || exponent >= 16) {
    text = digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") +
           fmt::format("e{}{:02d}", exponent < 0 ? '-' : '+', std::abs(exponent));
  } else if (exponent < 0) {
    text = "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  } else {
    if (count <= exponent) digits.append(static_cast<std::size_t>(exponent + 1 - count), '0');
    const auto whole = static_cast<std::size_t>(exponent + 1);
    text = digits.substr(0, whole) + "." + (digits.size() > whole ? digits.substr(whole) : "0");
  }
  return (std::signbit(number) ? "-" : "") + text;
}

std::string string_repr(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string result(1, quote);
  for (const char32_t c : decode_utf8(text)) {
    const auto code = static_cast<unsigned>(c);
    if (c == static_cast<char32_t>(quote) || c == '\\') {
      result += '\\';
      result += static_cast<char>(c);
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else if (c == '\t') {
      result += "\\t";
    } else if (is_printable(c)) {
      append_code_point(result, c);
    } else if (code < 0x100) {
      result += fmt::format("\\x{:02x}", code);
    } else if (code < 0x10000) {
      result += fmt::format("\\u{:04x}", code);
    } else {
      result += fmt::format("\\U{:08x}", code);
    }
  }
  return result + quote;
}

std::string to_text(const Value& value, Budget& budget) {
  if (value.is_undefined()) return {};
  if (value.is_string()) {
    budget.use_bytes(value.size_bytes());
    return value.string();
  }
  return repr(value, budget);
}

std::string repr(const Value& value, Budget& budget) {
  Writer out(budget);
  write_repr(out, value);
  return out.take();
}

std::string to_json(const Value& value, const JsonStyle& style, Budget& budget) {
  JsonWriter writer(style, budget);
  writer.write(value, 0);
  return writer.take();
}

}  // namespace llm::jinja
