// "%s" % x
#include <cctype>
#include <cmath>

#include "common/text/jinja/format.h"
#include "common/text/jinja/operators.h"
#include "common/text/jinja/strings.h"
#include "common/text/utf8.h"

namespace llm::jinja {
namespace {

// One "%..." of a format: its flags and the values it takes.
class PercentFormatter {
 public:
  PercentFormatter(std::string_view format, const Value& values, Budget& budget)
      : format_(format), values_(values), budget_(budget) {}

  std::string run() {
    std::string result;
    while (at_ < format_.size()) {
      const std::size_t percent = std::min(format_.find('%', at_), format_.size());
      result += format_.substr(at_, percent - at_);
      at_ = percent + 1;
      if (percent < format_.size()) result += conversion();
      budget_.use_bytes(static_cast<Index>(result.size()) > kMaxObject_bytes ? kMaxObject_bytes + 1 : 1);
    }
    const bool is_mapping = values_.is(Kind::kDict) || values_.is(Kind::kList) || values_.is_undefined();
    const std::size_t given = values_.is(Kind::kTuple) ? values_.items().size() : is_mapping ? 0 : 1;
    if (used_ < given) fault("not all arguments converted during string formatting");
    return result;
  }

 private:
  char peek() {
    if (at_ >= format_.size()) fault("incomplete format");
    return format_[at_];
  }

  Value next_value() {
    const std::size_t index = used_++;
    if (values_.is(Kind::kTuple)) {
      if (index < values_.items().size()) return values_.items()[index];
    } else if (index == 0) {
      return values_;
    }
    fault("not enough arguments for format string");
  }

  Index number_or_star() {
    Index value = 0;
    if (peek() == '*') {
      ++at_;
      value = as_index(next_value(), "* wants int, the width");
    }
    while (std::isdigit(static_cast<unsigned char>(peek())) != 0) value = value * 10 + (format_[at_++] - '0');
    if (value > kMaxWidth)
      fault("a format with a width above " + std::to_string(kMaxWidth), ErrorCode::kRange);
    return value;
  }

  std::optional<Value> key() {
    if (peek() != '(') return std::nullopt;
    if (!values_.is(Kind::kDict)) fault("format requires a mapping");
    const std::size_t close = format_.find(')', at_);
    if (close == std::string_view::npos) fault("incomplete format key");
    const std::string name(format_.substr(at_ + 1, close - at_ - 1));
    at_ = close + 1;
    const Value* value = values_.dict().find(name);
    if (value == nullptr) fault("'" + name + "' is not a key of the mapping");
    return *value;
  }

  std::string conversion() {
    std::optional<Value> value = key();
    FormatSpec spec;
    bool zero = false;
    for (;; ++at_) {
      const char flag = peek();
      if (flag == '-') {
        spec.align = '<';
      } else if (flag == '+' || (flag == ' ' && spec.sign != '+')) {
        spec.sign = flag;
      } else if (flag == '#') {
        spec.alternate = true;
      } else if (flag == '0') {
        zero = true;
      } else {
        break;
      }
    }
    spec.width = number_or_star();
    if (spec.width < 0) spec.align = '<';
    spec.width = std::abs(spec.width);
    if (peek() == '.') {
      ++at_;
      spec.precision = std::max<Index>(0, number_or_star());
    }
    spec.type = peek();
    ++at_;
    if (spec.type == '%') return "%";
    if (zero && spec.align == 0) {
      spec.align = '=';
      spec.fill = '0';
    }
    if (!value) value = next_value();
    return convert(*value, spec);
  }

  std::string convert(const Value& value, FormatSpec spec) {
    const char type = spec.type;
    if (type == 's' || type == 'r' || type == 'a') {
      if (spec.align == '=') spec = {.align = '>', .width = spec.width, .precision = spec.precision};
      if (spec.align == 0) spec.align = '>';
      spec.type = 's';
      spec.fill = ' ';
      return format_value(Value(type == 's' ? to_text(value, budget_) : repr(value, budget_)), spec, budget_);
    }
    if (std::string_view("diuxXo").find(type) != std::string_view::npos) {
      const bool decimal = std::string_view("diu").find(type) != std::string_view::npos;
      if (!value.is_integral() && !(decimal && value.is(Kind::kFloat) && std::isfinite(value.number()))) {
        fault(std::string("%") + type + " format: a number is required, not " + type_name(value));
      }
      if (std::abs(value.number()) > 9e18) fault("a whole number beyond 64 bits", ErrorCode::kRange);
      if (decimal) spec.type = 'd';
      return format_integer(value.is_integral() ? value.integer() : static_cast<Index>(value.number()), spec);
    }
    if (std::string_view("eEfFgG").find(type) != std::string_view::npos) {
      if (!value.is_number()) fault("must be real number, not " + type_name(value));
      return format_float(value.number(), spec);
    }
    if (type == 'c') {
      spec.align = spec.align == '<' ? '<' : '>';
      spec.fill = ' ';
      if (value.is_string() && count_code_points(value.string()) == 1) spec.type = 's';
      if (value.is_string() && spec.type == 'c') fault("%c requires int or char");
      return format_value(value, spec, budget_);
    }
    fault(std::string("unsupported format character '") + type + "'");
  }

  std::string_view format_;
  const Value& values_;
  Budget& budget_;
  std::size_t at_ = 0;
  std::size_t used_ = 0;
};

}  // namespace

std::string percent_format(std::string_view format, const Value& values, Budget& budget) {
  budget.use_bytes(static_cast<Index>(format.size()));
  return PercentFormatter(format, values, budget).run();
}

}  // namespace llm::jinja
