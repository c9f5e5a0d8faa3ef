// Numbers and strings as they are written in a template.
#pragma once

#include <string>
#include <string_view>

#include "common/base/types.h"

namespace llm::jinja {

struct NumberLiteral {
  std::size_t length = 0;  // characters used
  bool is_float = false;
  Index integer = 0;
  double number = 0;
  bool fits = true;  // in 64 bits
};

// The number that the text starts with (its first character is a digit): 12, 1_000, 0x1F, 0b1, 0o7, 1.5, 2e3.
// After a dot ("x.0.1") only whole numbers are numbers.
NumberLiteral scan_number(std::string_view text, bool after_dot);

// Resolves the escapes of a string literal (its inside) and appends the result.
// Returns what is wrong, or nothing.
std::string unescape(std::string_view inside, std::string& text);

}  // namespace llm::jinja
