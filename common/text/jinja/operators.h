// Python's operators on values. Errors of all: kMismatch where Python would raise a TypeError, a ValueError
// or a ZeroDivisionError, with Python's wording; kRange for whole numbers beyond 64 bits.
#pragma once

#include <optional>
#include <string>

#include "common/text/jinja/value.h"

namespace llm::jinja {

enum class BinaryOp { kAdd, kSubtract, kMultiply, kDivide, kFloorDivide, kModulo, kPower };
enum class CompareOp { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kIn, kNotIn };

Value apply(BinaryOp op, const Value& left, const Value& right, Budget& budget);
Value negate(const Value& value);
Value posate(const Value& value);

bool compare(CompareOp op, const Value& left, const Value& right, Budget& budget);
// Python's ==.
bool equals(const Value& left, const Value& right, Budget& budget);
// Python's item in container.
bool contains(const Value& container, const Value& item, Budget& budget);

// Python's container[key], or nothing where it raises a TypeError or a LookupError.
std::optional<Value> get_item(const Value& container, const Value& key, Budget& budget);

// Python's container[start:stop:step]; None for a part that is left out.
Value slice(const Value& container, const Value& start, const Value& stop, const Value& step, Budget& budget);

// A position with Python's rule for negative ones, or nothing outside [0, size).
std::optional<Index> wrap_index(Index index, Index size);

// The numbers that a slice of something of this size walks over: start, start + step, ... (count of them).
struct SliceRange {
  Index start = 0;
  Index step = 1;
  Index count = 0;
};
SliceRange resolve_slice(const Value& start, const Value& stop, const Value& step, Index size);

// The value as an index or a count. Errors: kMismatch unless it is a whole number; `what` says what for.
Index as_index(const Value& value, const std::string& what);

// Whole numbers as Python computes them, for what Python's int.__floordiv__ and __mod__ do.
Index floor_divide(Index left, Index right);
Index floor_modulo(Index left, Index right);

}  // namespace llm::jinja
