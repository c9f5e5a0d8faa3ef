// Arithmetic that notices overflow, for numbers that come from a file.
#pragma once

#include <optional>

#include "common/base/types.h"

namespace llm {

// a + b and a * b, or nothing when the result does not fit into an Index or an operand is negative.
inline std::optional<Index> checked_add(Index a, Index b) {
  Index sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

inline std::optional<Index> checked_mul(Index a, Index b) {
  Index product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// Whether [offset, offset + length) lies inside a file of `size` bytes.
inline bool range_fits(Index offset, Index length, Index size) {
  const auto end = checked_add(offset, length);
  return end.has_value() && *end <= size;
}

inline Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

}  // namespace llm
