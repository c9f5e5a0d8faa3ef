#include "common/text/utf8.h"

#include <algorithm>

namespace llm {
namespace {

unsigned byte_at(std::string_view text, Index at) {
  return static_cast<unsigned char>(text[static_cast<std::size_t>(at)]);
}

// What the first byte of a character says: how many bytes follow, and the range of the first of them
// (narrower than 80..BF where that keeps overlong forms, surrogates and values above U+10FFFF out).
struct LeadByte {
  Index continuation_bytes = 0;
  unsigned second_min = 0x80;
  unsigned second_max = 0xBF;
};

LeadByte classify(unsigned lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {1};
  if (lead == 0xE0) return {2, 0xA0, 0xBF};
  if (lead == 0xED) return {2, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {2};
  if (lead == 0xF0) return {3, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {3};
  if (lead == 0xF4) return {3, 0x80, 0x8F};
  return {};
}

}  // namespace

DecodedCodePoint decode_code_point(std::string_view text, Index at) {
  const auto size = static_cast<Index>(text.size());
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) return {lead, 1, true, false};
  const LeadByte kind = classify(lead);
  if (kind.continuation_bytes == 0) return {kReplacementCharacter, 1, false, false};

  char32_t value = lead & (0x3Fu >> kind.continuation_bytes);
  for (Index i = 1; i <= kind.continuation_bytes; ++i) {
    if (at + i == size) return {kReplacementCharacter, i, false, true};
    const unsigned byte = byte_at(text, at + i);
    const unsigned low = i == 1 ? kind.second_min : 0x80;
    const unsigned high = i == 1 ? kind.second_max : 0xBF;
    if (byte < low || byte > high) return {kReplacementCharacter, i, false, false};
    value = (value << 6) | (byte & 0x3F);
  }
  return {value, kind.continuation_bytes + 1, true, false};
}

void append_code_point(std::string& text, char32_t code_point) {
  const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (is_surrogate || code_point > 0x10FFFF) code_point = kReplacementCharacter;
  const auto put = [&text](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
    return;
  }
  if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
  } else {
    if (code_point < 0x10000) {
      put(0xE0 | (code_point >> 12));
    } else {
      put(0xF0 | (code_point >> 18));
      put(0x80 | ((code_point >> 12) & 0x3F));
    }
    put(0x80 | ((code_point >> 6) & 0x3F));
  }
  put(0x80 | (code_point & 0x3F));
}

std::string encode_utf8(std::u32string_view code_points) {
  std::string text;
  text.reserve(code_points.size());
  for (const char32_t code_point : code_points) append_code_point(text, code_point);
  return text;
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string code_points;
  code_points.reserve(text.size());
  for (Index at = 0; at < static_cast<Index>(text.size());) {
    const DecodedCodePoint decoded = decode_code_point(text, at);
    code_points.push_back(decoded.value);
    at += decoded.length;
  }
  return code_points;
}

std::string from_utf8_lossy(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (Index at = 0; at < static_cast<Index>(text.size());) {
    const DecodedCodePoint decoded = decode_code_point(text, at);
    if (decoded.valid) {
      result.append(text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(decoded.length)));
    } else {
      append_code_point(result, kReplacementCharacter);
    }
    at += decoded.length;
  }
  return result;
}

bool is_valid_utf8(std::string_view text) {
  for (Index at = 0; at < static_cast<Index>(text.size());) {
    const DecodedCodePoint decoded = decode_code_point(text, at);
    if (!decoded.valid) return false;
    at += decoded.length;
  }
  return true;
}

Index count_code_points(std::string_view text) {
  Index count = 0;
  for (Index at = 0; at < static_cast<Index>(text.size()); ++count) {
    at += decode_code_point(text, at).length;
  }
  return count;
}

Index incomplete_suffix_length(std::string_view text) {
  const auto size = static_cast<Index>(text.size());
  for (Index length = 1; length <= std::min<Index>(3, size); ++length) {
    const unsigned byte = byte_at(text, size - length);
    if (byte < 0x80) return 0;
    if (byte >= 0xC0) return decode_code_point(text, size - length).incomplete ? length : 0;
  }
  return 0;
}

}  // namespace llm
