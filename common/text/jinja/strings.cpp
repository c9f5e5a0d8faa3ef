#include "common/text/jinja/strings.h"

#include <algorithm>

#include "common/text/utf8.h"

namespace llm::jinja {
namespace {

// The characters in the text's order with their byte positions, and the end.
struct Character {
  char32_t value;
  std::size_t begin;
  std::size_t end;
};

std::vector<Character> characters(std::string_view text) {
  std::vector<Character> result;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCodePoint decoded = decode_code_point(text, static_cast<Index>(at));
    const std::size_t end = at + static_cast<std::size_t>(decoded.length);
    result.push_back({decoded.value, at, end});
    at = end;
  }
  return result;
}

bool is_line_end(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

}  // namespace

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

std::string_view strip(std::string_view text, std::optional<std::string_view> chars, Side side) {
  const std::u32string set = chars ? decode_utf8(*chars) : std::u32string();
  const auto removed = [&](char32_t c) { return chars ? set.find(c) != std::u32string::npos : is_space(c); };
  std::size_t begin = 0;
  std::size_t end = text.size();
  while (side != Side::kRight && begin < end) {
    const DecodedCodePoint c = decode_code_point(text, static_cast<Index>(begin));
    if (!removed(c.value)) break;
    begin += static_cast<std::size_t>(c.length);
  }
  while (side != Side::kLeft && begin < end) {
    std::size_t last = end - 1;
    while (last > begin && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    if (!removed(decode_code_point(text, static_cast<Index>(last)).value)) break;
    end = last;
  }
  return text.substr(begin, end - begin);
}

std::vector<std::string> split(std::string_view text, std::string_view separator, Index max_split,
                               bool from_right) {
  std::vector<std::string> parts;
  const auto more = [&] { return max_split < 0 || static_cast<Index>(parts.size()) < max_split; };
  while (more()) {
    const std::size_t at = from_right ? text.rfind(separator) : text.find(separator);
    if (at == std::string_view::npos) break;
    const std::string_view before = text.substr(0, at);
    const std::string_view after = text.substr(at + separator.size());
    parts.emplace_back(from_right ? after : before);
    text = from_right ? before : after;
  }
  parts.emplace_back(text);
  if (from_right) std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string> split_spaces(std::string_view text, Index max_split, bool from_right) {
  std::vector<std::string> parts;
  const Side near = from_right ? Side::kRight : Side::kLeft;
  text = strip(text, {}, near);
  while (!text.empty()) {
    if (max_split >= 0 && static_cast<Index>(parts.size()) == max_split) {
      parts.emplace_back(text);
      break;
    }
    // The word at the near end runs up to the first space from there.
    std::size_t begin = 0;
    std::size_t end = text.size();
    if (from_right) {
      while (end > 0) {
        std::size_t last = end - 1;
        while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
        if (is_space(decode_code_point(text, static_cast<Index>(last)).value)) break;
        end = last;
      }
      parts.emplace_back(text.substr(end));
      text = strip(text.substr(0, end), {}, near);
    } else {
      while (begin < text.size()) {
        const DecodedCodePoint c = decode_code_point(text, static_cast<Index>(begin));
        if (is_space(c.value)) break;
        begin += static_cast<std::size_t>(c.length);
      }
      parts.emplace_back(text.substr(0, begin));
      text = strip(text.substr(begin), {}, near);
    }
  }
  if (from_right) std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  const std::vector<Character> all = characters(text);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_line_end(all[i].value)) continue;
    const std::size_t line_end = all[i].begin;
    if (all[i].value == '\r' && i + 1 < all.size() && all[i + 1].value == '\n') ++i;
    lines.emplace_back(text.substr(begin, (keep_ends ? all[i].end : line_end) - begin));
    begin = all[i].end;
  }
  if (begin < text.size()) lines.emplace_back(text.substr(begin));
  return lines;
}

std::string replace(std::string_view text, std::string_view old, std::string_view replacement, Index count,
                    Budget& budget) {
  std::string result;
  const auto put = [&](std::string_view part) {
    budget.use_bytes(static_cast<Index>(result.size() + part.size()) > kMaxObject_bytes
                         ? kMaxObject_bytes + 1
                         : static_cast<Index>(part.size()));
    result += part;
  };
  const auto more = [&] {
    if (count == 0) return false;
    if (count > 0) --count;
    return true;
  };
  if (old.empty()) {
    for (const Character& c : characters(text)) {
      if (more()) put(replacement);
      put(text.substr(c.begin, c.end - c.begin));
    }
    if (more()) put(replacement);
    return result;
  }
  while (true) {
    const std::size_t at = text.find(old);
    if (at == std::string_view::npos || !more()) break;
    put(text.substr(0, at));
    put(replacement);
    text.remove_prefix(at + old.size());
  }
  put(text);
  return result;
}

std::size_t byte_offset(std::string_view text, Index code_points) {
  std::size_t at = 0;
  for (; code_points > 0 && at < text.size(); --code_points) {
    at += static_cast<std::size_t>(decode_code_point(text, static_cast<Index>(at)).length);
  }
  return at;
}

std::string escape_html(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '\'': result += "&#39;"; break;
      case '"': result += "&#34;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace llm::jinja
