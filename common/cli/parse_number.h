// Numbers on the command line.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <type_traits>

#include "common/base/error.h"
#include "common/config/generation_fields.h"

namespace llm {

[[noreturn]] inline void fail_value(ErrorCode code, const std::string& flag, const std::string& text,
                                    const std::string& expected) {
  fail(code, {.where = flag, .what = "got", .got = "'" + text + "'", .expected = expected});
}

// The whole text as a number of type T in [min, max].
// Errors: kUsage if it is none, kRange outside; both name the flag.
template <class T>
T parse_number(const std::string& flag, const std::string& text, T min, T max) {
  const bool integer = std::is_integral_v<T>;
  const std::string expected =
      std::is_same_v<T, std::uint64_t>
          ? "an integer of at least 0"
          : range_text({.min = static_cast<double>(min), .max = static_cast<double>(max)}, integer);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) fail_value(ErrorCode::kRange, flag, text, expected);
  if (error != std::errc() || end != text.data() + text.size())
    fail_value(ErrorCode::kUsage, flag, text, expected);
  if (!(value >= min && value <= max)) fail_value(ErrorCode::kRange, flag, text, expected);
  return value;
}

}  // namespace llm
