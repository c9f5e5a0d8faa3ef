#include "common/tensor/float_convert.h"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

namespace llm {
namespace {

constexpr int kCodes = 65536;

// The value of a half by the definition of the format, in double arithmetic.
double half_value(int code) {
  const int exponent = code >> 10 & 31, mantissa = code & 1023;
  const double sign = code & 0x8000 ? -1 : 1;
  if (exponent == 31) return mantissa ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST_CASE("every half has the float that the format defines, and comes back") {
  int wrong = 0;
  for (int code = 0; code < kCodes; ++code) {
    const auto half = static_cast<std::uint16_t>(code);
    const float value = f16_to_float(half);
    const double expected = half_value(code);
    if (std::isnan(expected)) {
      wrong += !std::isnan(value) || !std::isnan(f16_to_float(float_to_f16(value)));
    } else {
      wrong += !(value == expected) || std::signbit(value) != std::signbit(expected);
      wrong += float_to_f16(value) != half;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("every bfloat16 is the upper half of its float, and comes back") {
  int wrong = 0;
  for (int code = 0; code < kCodes; ++code) {
    const float value = bf16_to_float(static_cast<std::uint16_t>(code));
    wrong += std::bit_cast<std::uint32_t>(value) != static_cast<std::uint32_t>(code) << 16;
    const std::uint16_t back = float_to_bf16(value);
    wrong += std::isnan(value) ? !std::isnan(bf16_to_float(back)) : back != code;
  }
  CHECK(wrong == 0);
}

// Between neighbouring codes lie two floats on either side of the middle, and the middle itself, which goes
// to the even one. `code` and `code + 1` are finite and positive; the negative ones mirror them.
template <class ToFloat, class FromFloat>
int wrong_roundings(int last_finite, ToFloat to_float, FromFloat from_float) {
  int wrong = 0;
  for (int code = 0; code < last_finite; ++code) {
    const double low = static_cast<double>(to_float(static_cast<std::uint16_t>(code)));
    const double high = static_cast<double>(to_float(static_cast<std::uint16_t>(code + 1)));
    const auto middle = static_cast<float>((low + high) / 2);
    if (static_cast<double>(middle) != (low + high) / 2) continue;  // below the smallest float
    const int even = code % 2 == 0 ? code : code + 1;
    const float infinity = std::numeric_limits<float>::infinity();
    wrong += from_float(middle) != even;
    wrong += from_float(-middle) != (even | 0x8000);
    wrong += from_float(std::nextafter(middle, 0.0f)) != code;
    wrong += from_float(std::nextafter(middle, infinity)) != code + 1;
    wrong += from_float(-std::nextafter(middle, infinity)) != ((code + 1) | 0x8000);
  }
  return wrong;
}

TEST_CASE("rounding goes to the nearest, ties to even, subnormals included") {
  CHECK(wrong_roundings(0x7bff, f16_to_float, float_to_f16) == 0);
  CHECK(wrong_roundings(0x7f7f, bf16_to_float, float_to_bf16) == 0);
}

TEST_CASE("values beyond the range become infinity, and only those") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(float_to_f16(65519.996f) == 0x7bff);  // rounds to the largest half, 65504
  CHECK(float_to_f16(65520.0f) == 0x7c00);
  CHECK(float_to_f16(-1e30f) == 0xfc00);
  CHECK(float_to_f16(infinity) == 0x7c00);
  CHECK(float_to_bf16(std::numeric_limits<float>::max()) == 0x7f80);
  CHECK(float_to_bf16(-infinity) == 0xff80);
}

TEST_CASE("a NaN stays a NaN, whichever of its bits are set") {
  for (const std::uint32_t bits : {0x7f800001u, 0xff800001u, 0x7fc00000u, 0x7f80ffffu, 0xffffffffu}) {
    const auto value = std::bit_cast<float>(bits);
    CHECK(std::isnan(f16_to_float(float_to_f16(value))));
    CHECK(std::isnan(bf16_to_float(float_to_bf16(value))));
  }
}

TEST_CASE("what is too small becomes zero of the same sign") {
  CHECK(float_to_f16(std::ldexp(1.0f, -25)) == 0);  // the middle between 0 and the smallest: to even
  CHECK(float_to_f16(std::nextafter(std::ldexp(1.0f, -25), 1.0f)) == 1);
  CHECK(float_to_f16(-1e-30f) == 0x8000);
  CHECK(float_to_f16(-0.0f) == 0x8000);
  CHECK(float_to_bf16(-0.0f) == 0x8000);
}

}  // namespace
}  // namespace llm
