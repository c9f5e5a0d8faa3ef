#include "common/text/jinja/operators.h"

#include <cmath>

#include "common/text/jinja/format.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja {
namespace {

const char* symbol(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd: return "+";
    case BinaryOp::kSubtract: return "-";
    case BinaryOp::kMultiply: return "*";
    case BinaryOp::kDivide: return "/";
    case BinaryOp::kFloorDivide: return "//";
    case BinaryOp::kModulo: return "%";
    case BinaryOp::kPower: return "** or pow()";
  }
  return "?";
}

// By reference, because the arguments of a call are computed in any order.
Index checked(bool overflow, const Index& result) {
  if (overflow) fault("a whole number beyond 64 bits", ErrorCode::kRange);
  return result;
}

Index power(Index base, Index exponent) {
  Index result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = checked(__builtin_mul_overflow(result, base, &result), result);
    if (exponent > 1) base = checked(__builtin_mul_overflow(base, base, &base), base);
  }
  return result;
}

Value integer_operation(BinaryOp op, Index a, Index b) {
  Index result = 0;
  switch (op) {
    case BinaryOp::kAdd: return Value(checked(__builtin_add_overflow(a, b, &result), result));
    case BinaryOp::kSubtract: return Value(checked(__builtin_sub_overflow(a, b, &result), result));
    case BinaryOp::kMultiply: return Value(checked(__builtin_mul_overflow(a, b, &result), result));
    case BinaryOp::kDivide:
      if (b == 0) fault("division by zero");
      return Value(static_cast<double>(a) / static_cast<double>(b));
    case BinaryOp::kFloorDivide: return Value(floor_divide(a, b));
    case BinaryOp::kModulo: return Value(floor_modulo(a, b));
    case BinaryOp::kPower:
      if (b >= 0) return Value(power(a, b));
      if (a == 0) fault("0.0 cannot be raised to a negative power");
      return Value(std::pow(static_cast<double>(a), static_cast<double>(b)));
  }
  return Value();
}

double float_modulo(double a, double b) {
  if (b == 0.0) fault("float modulo");
  double result = std::fmod(a, b);
  if (result != 0.0) {
    if ((b < 0) != (result < 0)) result += b;
  } else {
    result = std::copysign(0.0, b);
  }
  return result;
}

double float_power(double a, double b) {
  if (a == 0.0 && b < 0) fault("0.0 cannot be raised to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && std::trunc(b) != b) unsupported("a complex number");
  const double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
    fault("(34, 'Numerical result out of range')");
  return result;
}

Value float_operation(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd: return Value(a + b);
    case BinaryOp::kSubtract: return Value(a - b);
    case BinaryOp::kMultiply: return Value(a * b);
    case BinaryOp::kDivide:
      if (b == 0.0) fault("float division by zero");
      return Value(a / b);
    case BinaryOp::kFloorDivide: {
      if (b == 0.0) fault("float floor division by zero");
      const double remainder = float_modulo(a, b);
      const double quotient = (a - remainder) / b;
      if (quotient == 0.0) return Value(std::copysign(0.0, a / b));
      const double floor = std::floor(quotient);
      return Value(quotient - floor > 0.5 ? floor + 1.0 : floor);
    }
    case BinaryOp::kModulo: return Value(float_modulo(a, b));
    case BinaryOp::kPower: return Value(float_power(a, b));
  }
  return Value();
}

// The part of `text` that goes into a text which is markup when any of both is.
std::string mixed(const Value& text, bool markup) {
  return markup && !text.is_markup() ? escape_html(text.string()) : text.string();
}

Value join_texts(const Value& left, const Value& right, Budget& budget) {
  budget.use_bytes(left.size_bytes() + right.size_bytes());
  if (!left.is_markup() && !right.is_markup()) return Value(left.string() + right.string());
  return Value::markup(mixed(left, true) + mixed(right, true));
}

Value join_items(const Value& left, const Value& right, Budget& budget) {
  budget.use_bytes(left.size_bytes() + right.size_bytes());
  Items items = left.items();
  items.insert(items.end(), right.items().begin(), right.items().end());
  return left.is(Kind::kList) ? Value::list(std::move(items)) : Value::tuple(std::move(items));
}

// "ab" * 3, [1] * 3
Value repeat(const Value& value, Index count, Budget& budget) {
  count = std::max<Index>(count, 0);
  const Index size = value.size_bytes();
  if (size > 0 && count > kMaxObject_bytes / size) budget.use_bytes(kMaxObject_bytes + 1);
  budget.use_bytes(size * count);
  if (value.is_string()) {
    std::string text;
    for (Index i = 0; i < (size == 0 ? 0 : count); ++i) text += value.string();
    return value.is_markup() ? Value::markup(std::move(text)) : Value(std::move(text));
  }
  Items items;
  for (Index i = 0; i < (size == 0 ? 0 : count); ++i) {
    items.insert(items.end(), value.items().begin(), value.items().end());
  }
  return value.is(Kind::kList) ? Value::list(std::move(items)) : Value::tuple(std::move(items));
}

}  // namespace

Index floor_divide(Index left, Index right) {
  if (right == 0) fault("integer division or modulo by zero");
  if (right == -1) return checked(left == INT64_MIN, left == INT64_MIN ? 0 : -left);
  const Index quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

Index floor_modulo(Index left, Index right) {
  if (right == 0) fault("integer modulo by zero");
  if (right == -1) return 0;
  const Index remainder = left % right;
  return remainder != 0 && (remainder < 0) != (right < 0) ? remainder + right : remainder;
}

Value apply(BinaryOp op, const Value& left, const Value& right, Budget& budget) {
  if (op == BinaryOp::kModulo && left.is_string()) return Value(percent_format(left.string(), right, budget));
  if (left.is_undefined()) fault_undefined(left);
  if (right.is_undefined()) fault_undefined(right);
  if (left.is_number() && right.is_number()) {
    if (left.is_integral() && right.is_integral())
      return integer_operation(op, left.integer(), right.integer());
    return float_operation(op, left.number(), right.number());
  }
  if (op == BinaryOp::kAdd && left.kind() == right.kind()) {
    if (left.is_string()) return join_texts(left, right, budget);
    if (left.is_sequence()) return join_items(left, right, budget);
  }
  if (op == BinaryOp::kMultiply) {
    if ((left.is_string() || left.is_sequence()) && right.is_integral())
      return repeat(left, right.integer(), budget);
    if ((right.is_string() || right.is_sequence()) && left.is_integral())
      return repeat(right, left.integer(), budget);
  }
  if (op == BinaryOp::kAdd && left.is_string()) {
    fault("can only concatenate str (not \"" + type_name(right) + "\") to str");
  }
  fault(std::string("unsupported operand type(s) for ") + symbol(op) + ": '" + type_name(left) + "' and '" +
        type_name(right) + "'");
}

Value negate(const Value& value) {
  if (value.is_undefined()) fault_undefined(value);
  if (value.is(Kind::kFloat)) return Value(-value.number());
  if (value.is_integral()) return integer_operation(BinaryOp::kSubtract, 0, value.integer());
  fault("bad operand type for unary -: '" + type_name(value) + "'");
}

Value posate(const Value& value) {
  if (value.is_undefined()) fault_undefined(value);
  if (value.is(Kind::kFloat)) return value;
  if (value.is_integral()) return Value(value.integer());
  fault("bad operand type for unary +: '" + type_name(value) + "'");
}

}  // namespace llm::jinja
