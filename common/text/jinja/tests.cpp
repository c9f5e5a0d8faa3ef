// The tests: x is name.
#include <algorithm>
#include <array>

#include "common/text/jinja/filters.h"
#include "common/text/jinja/objects.h"
#include "common/text/jinja/operators.h"
#include "common/text/jinja/strings.h"
#include "common/text/utf8.h"

namespace llm::jinja {
namespace {

template <bool (*holds)(const Value&)>
Value check(FilterCall call) {
  call.bind({});
  return Value(holds(call.subject));
}

bool is_defined(const Value& value) { return !value.is_undefined(); }
bool is_undefined(const Value& value) { return value.is_undefined(); }
bool is_none(const Value& value) { return value.is_none(); }
bool is_boolean(const Value& value) { return value.is(Kind::kBool); }
bool is_true(const Value& value) { return value.is(Kind::kBool) && value.boolean(); }
bool is_false(const Value& value) { return value.is(Kind::kBool) && !value.boolean(); }
bool is_integer(const Value& value) { return value.is(Kind::kInt); }
bool is_float(const Value& value) { return value.is(Kind::kFloat); }
bool is_number(const Value& value) { return value.is_number(); }
bool is_string(const Value& value) { return value.is_string(); }
bool is_mapping(const Value& value) { return value.is(Kind::kDict); }
bool is_escaped(const Value& value) { return value.is_markup(); }

// What has a length and elements by index.
bool is_sequence(const Value& value) {
  if (value.is(Kind::kObject)) return value.as<Range>() != nullptr;
  return value.is_string() || value.is_sequence() || value.is(Kind::kDict) || value.is_undefined();
}

bool is_callable(const Value& value) {
  return value.is_undefined() || (value.is(Kind::kObject) && value.object().is_callable());
}

template <CompareOp op>
Value compared(FilterCall call) {
  const Bound bound = call.bind({"other"}, 1);
  return Value(compare(op, call.subject, bound[0], call.budget()));
}

Value in(FilterCall call) {
  const Bound bound = call.bind({"seq"}, 1);
  return Value(contains(bound[0], call.subject, call.budget()));
}

Value same_as(FilterCall call) {
  const Bound bound = call.bind({"other"}, 1);
  return Value(call.subject.same_object(bound[0]));
}

Value remainder_is(const FilterCall& call, const Value& divisor, Index wanted) {
  const Value rest = apply(BinaryOp::kModulo, call.subject, divisor, call.budget());
  return Value(equals(rest, Value(wanted), call.budget()));
}

Value even(FilterCall call) {
  call.bind({});
  return remainder_is(call, Value(Index{2}), 0);
}

Value odd(FilterCall call) {
  call.bind({});
  return remainder_is(call, Value(Index{2}), 1);
}

Value divisible_by(FilterCall call) {
  const Bound bound = call.bind({"num"}, 1);
  return remainder_is(call, bound[0], 0);
}

// "x is lower" asks what "...".islower() says.
Value case_is(FilterCall call, const char* method) {
  call.bind({});
  const Value text(to_text(call.subject, call.budget()));
  return call.interpreter.call(call.interpreter.get_attribute(text, method), {});
}
Value lower(FilterCall call) { return case_is(std::move(call), "islower"); }
Value upper(FilterCall call) { return case_is(std::move(call), "isupper"); }

Value filter(FilterCall call) {
  call.bind({});
  return Value(call.subject.is_string() && has_filter(call.subject.string()));
}

Value test(FilterCall call) {
  call.bind({});
  return Value(call.subject.is_string() && has_test(call.subject.string()));
}

constexpr std::array kTests = {
    NamedFilter{"!=", compared<CompareOp::kNotEqual>},
    NamedFilter{"<", compared<CompareOp::kLess>},
    NamedFilter{"<=", compared<CompareOp::kLessEqual>},
    NamedFilter{"==", compared<CompareOp::kEqual>},
    NamedFilter{">", compared<CompareOp::kGreater>},
    NamedFilter{">=", compared<CompareOp::kGreaterEqual>},
    NamedFilter{"boolean", check<is_boolean>},
    NamedFilter{"callable", check<is_callable>},
    NamedFilter{"defined", check<is_defined>},
    NamedFilter{"divisibleby", divisible_by},
    NamedFilter{"eq", compared<CompareOp::kEqual>},
    NamedFilter{"equalto", compared<CompareOp::kEqual>},
    NamedFilter{"escaped", check<is_escaped>},
    NamedFilter{"even", even},
    NamedFilter{"false", check<is_false>},
    NamedFilter{"filter", filter},
    NamedFilter{"float", check<is_float>},
    NamedFilter{"ge", compared<CompareOp::kGreaterEqual>},
    NamedFilter{"greaterthan", compared<CompareOp::kGreater>},
    NamedFilter{"gt", compared<CompareOp::kGreater>},
    NamedFilter{"in", in},
    NamedFilter{"integer", check<is_integer>},
    NamedFilter{"iterable", check<is_iterable>},
    NamedFilter{"le", compared<CompareOp::kLessEqual>},
    NamedFilter{"lessthan", compared<CompareOp::kLess>},
    NamedFilter{"lower", lower},
    NamedFilter{"lt", compared<CompareOp::kLess>},
    NamedFilter{"mapping", check<is_mapping>},
    NamedFilter{"ne", compared<CompareOp::kNotEqual>},
    NamedFilter{"none", check<is_none>},
    NamedFilter{"number", check<is_number>},
    NamedFilter{"odd", odd},
    NamedFilter{"sameas", same_as},
    NamedFilter{"sequence", check<is_sequence>},
    NamedFilter{"string", check<is_string>},
    NamedFilter{"test", test},
    NamedFilter{"true", check<is_true>},
    NamedFilter{"undefined", check<is_undefined>},
    NamedFilter{"upper", upper},
};

}  // namespace

bool has_test(const std::string& name) {
  return std::any_of(kTests.begin(), kTests.end(),
                     [&](const NamedFilter& entry) { return name == entry.name; });
}

Filter find_test(const std::string& name) {
  for (const NamedFilter& entry : kTests) {
    if (name == entry.name) return entry.filter;
  }
  fault("no test named '" + name + "'", ErrorCode::kFormat);
}

}  // namespace llm::jinja
