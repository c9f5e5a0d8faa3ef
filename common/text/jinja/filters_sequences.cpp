#include <algorithm>

#include "common/text/jinja/filters.h"
#include "common/text/jinja/methods.h"
#include "common/text/jinja/objects.h"
#include "common/text/jinja/operators.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja::filters {
namespace {

using Make = std::function<Items(const Value& subject, Budget& budget)>;

// Goes through what make gives, and calls it only when the first element is asked for.
Value when_asked(const FilterCall& call, Make make) {
  const Value subject = call.subject;
  Budget& budget = call.budget();
  return make_iterator(
      [subject, &budget, make = std::move(make), next = Next()]() mutable {
        if (!next) next = iterate(Value::list(make(subject, budget)), budget);
        return next();
      },
      subject);
}

}  // namespace

// The attribute only, never an item of that name.
Value attr(FilterCall call) {
  const Bound bound = call.bind({"name"}, 1);
  const std::string& name = bound.text(0);
  if (call.subject.is_undefined()) fault_undefined(call.subject);
  if (call.subject.is(Kind::kObject)) {
    if (auto value = call.subject.object().attribute(call.interpreter, name)) return std::move(*value);
  }
  if (auto method = find_method(call.subject, name)) return std::move(*method);
  return Value::undefined("'" + type_name(call.subject) + " object' has no attribute " + string_repr(name));
}

Value batch(FilterCall call) {
  const Bound bound = call.bind({"linecount", "fill_with"}, 1);
  return when_asked(call, [size = bound[0], fill = bound[1]](const Value& subject, Budget& budget) {
    Items batches;
    Items current;
    for (Value& item : to_items(subject, budget)) {
      if (equals(Value(static_cast<Index>(current.size())), size, budget)) {
        batches.push_back(Value::list(std::exchange(current, {})));
      }
      current.push_back(std::move(item));
    }
    if (!current.empty() && !fill.is_none()) {
      const Index missing =
          std::max<Index>(0, as_index(size, "linecount") - static_cast<Index>(current.size()));
      if (missing > kMaxRange)
        fault("batch into more than " + std::to_string(kMaxRange) + " items", ErrorCode::kRange);
      current.insert(current.end(), static_cast<std::size_t>(missing), fill);
    }
    if (!current.empty()) batches.push_back(Value::list(std::move(current)));
    return batches;
  });
}

Value default_value(FilterCall call) {
  const Bound bound = call.bind({"default_value", "boolean"});
  if (call.subject.is_undefined() || (bound.flag(1) && !truth(call.subject))) {
    return bound.value_or(0, Value(std::string()));
  }
  return call.subject;
}

Value first(FilterCall call) {
  call.bind({});
  const Next next = iterate(call.subject, call.budget());
  return next().value_or(Value::undefined("No first item, sequence was empty."));
}

Value items(FilterCall call) {
  call.bind({});
  return when_asked(call, [](const Value& subject, Budget& budget) {
    if (subject.is_undefined()) return Items();
    if (!subject.is(Kind::kDict)) fault("Can only get item pairs from a mapping.");
    return to_items(Value(std::make_shared<DictView>(subject, DictView::What::kItems)), budget);
  });
}

Value last(FilterCall call) {
  call.bind({});
  const Next next = iterate_reversed(call.subject, call.budget());
  if (!next) fault("'" + type_name(call.subject) + "' object is not reversible");
  return next().value_or(Value::undefined("No last item, sequence was empty."));
}

Value length(FilterCall call) {
  call.bind({});
  const std::optional<Index> size = jinja::length(call.subject);
  if (!size) fault("object of type '" + type_name(call.subject) + "' has no len()");
  return Value(*size);
}

Value list(FilterCall call) {
  call.bind({});
  return Value::list(to_items(call.subject, call.budget()));
}

Value reverse(FilterCall call) {
  call.bind({});
  if (call.subject.is_string()) {
    return jinja::slice(call.subject, Value(), Value(), Value(Index{-1}), call.budget());
  }
  if (Next next = iterate_reversed(call.subject, call.budget()))
    return make_iterator(std::move(next), call.subject);
  if (!is_iterable(call.subject)) fault("argument must be iterable");
  Items items = to_items(call.subject, call.budget());
  std::reverse(items.begin(), items.end());
  return Value::list(std::move(items));
}

// Columns: `slices` lists of nearly the same length.
Value slice(FilterCall call) {
  const Bound bound = call.bind({"slices", "fill_with"}, 1);
  return when_asked(call, [count = bound[0], fill = bound[1]](const Value& subject, Budget& budget) {
    const Items all = to_items(subject, budget);
    const auto size = static_cast<Index>(all.size());
    const Index slices = as_index(count, "slices");
    if (slices == 0) fault("integer division or modulo by zero");
    if (slices > kMaxRange)
      fault("slice into more than " + std::to_string(kMaxRange) + " parts", ErrorCode::kRange);
    Items columns;
    auto begin = all.begin();
    for (Index i = 0; i < slices; ++i) {
      const bool has_extra = i < size % slices;
      const auto end = begin + size / slices + (has_extra ? 1 : 0);
      Items column(begin, end);
      begin = end;
      if (!fill.is_none() && !has_extra) column.push_back(fill);
      columns.push_back(Value::list(std::move(column)));
    }
    return columns;
  });
}

}  // namespace llm::jinja::filters
