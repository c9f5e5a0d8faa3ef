#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "common/text/jinja/filters.h"
#include "common/text/jinja/operators.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja::filters {
namespace {

// "1_000" as "1000"; nothing when an underscore does not stand between two digits.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      result += text[i];
    } else if (i == 0 || i + 1 == text.size() ||
               std::isxdigit(static_cast<unsigned char>(text[i - 1])) == 0 ||
               std::isxdigit(static_cast<unsigned char>(text[i + 1])) == 0) {
      return std::nullopt;
    }
  }
  return result;
}

// Python's int("..."): nothing where it raises a ValueError.
std::optional<Index> parse_int(std::string_view text, Index base) {
  text = strip(text);
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.size() > 2 && text[0] == '0') {
    const char kind = static_cast<char>(text[1] | 0x20);
    const Index prefix = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0;
    if (prefix != 0 && (base == prefix || base == 0)) {
      base = prefix;
      text.remove_prefix(text[2] == '_' ? 3 : 2);
    }
  }
  const auto digits = without_underscores(text);
  if (!digits || digits->empty() || !std::isalnum(static_cast<unsigned char>(digits->front())))
    return std::nullopt;
  std::uint64_t value = 0;
  const char* end = digits->data() + digits->size();
  const auto result = std::from_chars(digits->data(), end, value, base == 0 ? 10 : static_cast<int>(base));
  if (result.ptr != end) return std::nullopt;
  if (result.ec != std::errc() || value > static_cast<std::uint64_t>(INT64_MAX)) {
    fault("a whole number beyond 64 bits", ErrorCode::kRange);
  }
  return negative ? -static_cast<Index>(value) : static_cast<Index>(value);
}

// Python's float("..."): nothing where it raises a ValueError.
std::optional<double> parse_float(std::string_view text) {
  text = strip(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto digits = without_underscores(text);
  if (!digits || digits->empty() || digits->front() == '-') return std::nullopt;
  const std::string word = to_lower(*digits);
  if (word == "inf" || word == "infinity") return negative ? -INFINITY : INFINITY;
  if (word == "nan") return NAN;
  if (word.find_first_not_of("0123456789.e+-") != std::string::npos) return std::nullopt;
  double value = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  if (result.ptr != word.data() + word.size()) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) value = std::strtod(word.c_str(), nullptr);
  return negative ? -value : value;
}

// int(x) of a float. Errors: kMismatch for what is not finite.
Index truncated(double number) {
  if (std::isinf(number)) fault("cannot convert float infinity to integer");
  if (std::abs(number) > 9.2e18) fault("a whole number beyond 64 bits", ErrorCode::kRange);
  return static_cast<Index>(number);
}

Value extreme(FilterCall call, CompareOp op) {
  const Bound bound = call.bind({"case_sensitive", "attribute"});
  const Next next = iterate(call.subject, call.budget());
  std::optional<Value> best;
  Value best_key;
  while (std::optional<Value> item = next()) {
    const Value key = sort_key(get_path(call.interpreter, *item, bound[1]), bound.flag(0));
    if (!best || compare(op, key, best_key, call.budget())) {
      best = std::move(item);
      best_key = key;
    }
  }
  return best ? *best : Value::undefined("No aggregated item, sequence was empty.");
}

}  // namespace

Value abs(FilterCall call) {
  call.bind({});
  if (call.subject.is(Kind::kFloat)) return Value(std::abs(call.subject.number()));
  if (!call.subject.is_integral()) fault("bad operand type for abs(): '" + type_name(call.subject) + "'");
  return call.subject.integer() < 0 ? negate(call.subject) : Value(call.subject.integer());
}

Value to_float(FilterCall call) {
  const Bound bound = call.bind({"default"});
  if (call.subject.is_undefined()) fault_undefined(call.subject);
  if (call.subject.is_number()) return Value(call.subject.number());
  const auto number = call.subject.is_string() ? parse_float(call.subject.string()) : std::nullopt;
  return number ? Value(*number) : bound.value_or(0, Value(0.0));
}

// "42.23" | int is 42, too.
Value to_int(FilterCall call) {
  const Bound bound = call.bind({"default", "base"});
  if (call.subject.is_undefined()) fault_undefined(call.subject);
  const Value otherwise = bound.value_or(0, Value(Index{0}));
  if (call.subject.is_integral()) return Value(call.subject.integer());
  if (call.subject.is(Kind::kFloat)) {
    return std::isnan(call.subject.number()) ? otherwise : Value(truncated(call.subject.number()));
  }
  if (!call.subject.is_string()) return otherwise;
  const Index base = bound.integer(1, 10);
  if (base != 0 && (base < 2 || base > 36)) fault("int() base must be >= 2 and <= 36, or 0");
  if (const auto number = parse_int(call.subject.string(), base)) return Value(*number);
  const auto number = parse_float(call.subject.string());
  return number && std::isfinite(*number) ? Value(truncated(*number)) : otherwise;
}

Value max(FilterCall call) { return extreme(std::move(call), CompareOp::kGreater); }
Value min(FilterCall call) { return extreme(std::move(call), CompareOp::kLess); }

// To even where two are equally near, as Python rounds.
Value round(FilterCall call) {
  const Bound bound = call.bind({"precision", "method"});
  const std::string method = bound.has(1) ? to_text(bound[1], call.budget()) : "common";
  if (method != "common" && method != "ceil" && method != "floor")
    fault("method must be common, ceil or floor");
  if (call.subject.is_undefined()) fault_undefined(call.subject);
  if (!call.subject.is_number())
    fault("type " + type_name(call.subject) + " doesn't define __round__ method");
  const Index precision = bound.integer(0, 0);
  if (precision < -300 || precision > 300) fault("round with a precision beyond 300", ErrorCode::kRange);
  if (method == "common" && call.subject.is_integral()) {
    if (precision >= 0) return Value(call.subject.integer());
    unsupported("rounding a whole number to tens");
  }
  const double number = call.subject.number();
  if (!std::isfinite(number)) return Value(number);
  const double scale = std::pow(10.0, static_cast<double>(precision));
  if (method == "ceil") return Value(std::ceil(number * scale) / scale);
  if (method == "floor") return Value(std::floor(number * scale) / scale);
  if (precision < 0) return Value(std::nearbyint(number * scale) / scale);
  return Value(std::strtod(fmt::format("{:.{}f}", number, static_cast<int>(precision)).c_str(), nullptr));
}

Value sum(FilterCall call) {
  const Bound bound = call.bind({"attribute", "start"});
  Value total = bound.value_or(1, Value(Index{0}));
  if (total.is_string()) fault("sum() can't sum strings [use ''.join(seq) instead]");
  const Next next = iterate(call.subject, call.budget());
  while (const std::optional<Value> item = next()) {
    total = apply(BinaryOp::kAdd, total, get_path(call.interpreter, *item, bound[0]), call.budget());
  }
  return total;
}

}  // namespace llm::jinja::filters
