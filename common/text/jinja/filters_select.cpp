// Filters that pick, order and change the elements of a sequence.
#include <algorithm>
#include <unordered_set>

#include "common/text/jinja/filters.h"
#include "common/text/jinja/objects.h"
#include "common/text/jinja/operators.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja {

Value sort_key(const Value& value, bool case_sensitive) {
  return case_sensitive || !value.is_string() ? value : Value(to_lower(value.string()));
}

namespace filters {
namespace {

// The values in the order of their keys; equal ones keep their order, in reverse too.
Items sorted(Items items, Items keys, bool reverse, Budget& budget) {
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return reverse ? compare(CompareOp::kLess, keys[b], keys[a], budget)
                   : compare(CompareOp::kLess, keys[a], keys[b], budget);
  });
  Items result;
  for (const std::size_t i : order) result.push_back(items[i]);
  return result;
}

// Goes through the subject when it is asked to, and not before: what an item makes fail fails then.
Value lazily(const FilterCall& call, std::function<std::optional<Value>(Value)> change) {
  const Value subject = call.subject;
  Budget& budget = call.budget();
  return make_iterator(
      [subject, &budget, change = std::move(change), next = Next()]() mutable -> std::optional<Value> {
        if (!next) {
          // Something false is empty, whatever it is.
          next = iterate(truth(subject) ? subject : Value::list({}), budget);
        }
        while (std::optional<Value> item = next()) {
          if (std::optional<Value> result = change(std::move(*item))) return result;
        }
        return std::nullopt;
      },
      subject);
}

// select(test, ...), selectattr(attribute, test, ...) and their opposites.
Value pick(FilterCall call, bool wanted, bool by_attribute) {
  Interpreter& interpreter = call.interpreter;
  Arguments arguments = std::move(call.arguments);
  return lazily(call, [&interpreter, arguments, wanted, by_attribute](Value item) -> std::optional<Value> {
    const std::size_t offset = by_attribute ? 1 : 0;
    const Items& given = arguments.positional;
    if (given.size() < offset) fault("Missing parameter for attribute name");
    const Value subject = by_attribute ? get_path(interpreter, item, given[0]) : item;
    bool holds = false;
    if (given.size() > offset) {
      const Value& name = given[offset];
      if (!name.is_string()) fault("the name of a test is text, not " + type_name(name));
      Arguments rest{{given.begin() + static_cast<Index>(offset) + 1, given.end()}, arguments.named};
      holds = truth(interpreter.apply_test(name.string(), subject, std::move(rest)));
    } else {
      holds = truth(subject);
    }
    return holds == wanted ? std::optional<Value>(std::move(item)) : std::nullopt;
  });
}

}  // namespace

Value select(FilterCall call) { return pick(std::move(call), true, false); }
Value reject(FilterCall call) { return pick(std::move(call), false, false); }
Value selectattr(FilterCall call) { return pick(std::move(call), true, true); }
Value rejectattr(FilterCall call) { return pick(std::move(call), false, true); }

// map(attribute=..., default=...) or map(filter, ...).
Value map(FilterCall call) {
  Interpreter& interpreter = call.interpreter;
  Arguments arguments = std::move(call.arguments);
  const auto is_attribute = [](const auto& entry) { return entry.first == "attribute"; };
  if (arguments.positional.empty() &&
      std::any_of(arguments.named.begin(), arguments.named.end(), is_attribute)) {
    return lazily(call, [&interpreter, arguments](const Value& item) -> std::optional<Value> {
      const Bound bound("map", arguments, {"attribute", "default"});
      Value value = get_path(interpreter, item, bound[0]);
      if (value.is_undefined() && !bound[1].is_none()) value = bound[1];
      return value;
    });
  }
  return lazily(call, [&interpreter, arguments](const Value& item) -> std::optional<Value> {
    const Items& given = arguments.positional;
    if (given.empty()) fault("map requires a filter argument");
    if (!given[0].is_string()) fault("the name of a filter is text, not " + type_name(given[0]));
    return interpreter.apply_filter(given[0].string(), item,
                                    {{given.begin() + 1, given.end()}, arguments.named});
  });
}

Value sort(FilterCall call) {
  const Bound bound = call.bind({"reverse", "case_sensitive", "attribute"});
  Items items = to_items(call.subject, call.budget());
  Items keys;
  for (const Value& item : items) {
    // "a,b" sorts by a, then by b.
    Items parts;
    if (bound[2].is_string()) {
      for (const std::string& path : split(bound[2].string(), ",", -1, false)) {
        parts.push_back(sort_key(get_path(call.interpreter, item, Value(path)), bound.flag(1)));
      }
    } else {
      parts.push_back(sort_key(get_path(call.interpreter, item, bound[2]), bound.flag(1)));
    }
    keys.push_back(Value::list(std::move(parts)));
  }
  return Value::list(sorted(std::move(items), std::move(keys), bound.flag(0), call.budget()));
}

Value dictsort(FilterCall call) {
  const Bound bound = call.bind({"case_sensitive", "by", "reverse"});
  const std::string by = bound.has(1) ? bound.text(1) : "key";
  if (by != "key" && by != "value") fault("You can only sort by either \"key\" or \"value\"");
  if (call.subject.is_undefined()) fault_undefined(call.subject);
  if (!call.subject.is(Kind::kDict))
    fault("'" + type_name(call.subject) + "' object has no attribute 'items'");
  Items items;
  Items keys;
  for (const auto& [key, value] : call.subject.dict().entries()) {
    items.push_back(Value::tuple({key, value}));
    keys.push_back(sort_key(by == "key" ? key : value, bound.flag(0)));
  }
  return Value::list(sorted(std::move(items), std::move(keys), bound.flag(2), call.budget()));
}

Value groupby(FilterCall call) {
  const Bound bound = call.bind({"attribute", "default", "case_sensitive"}, 1);
  Items items = to_items(call.subject, call.budget());
  const auto raw_key = [&](const Value& item) {
    Value key = get_path(call.interpreter, item, bound[0]);
    return key.is_undefined() && !bound[1].is_none() ? bound[1] : key;
  };
  Items keys;
  for (const Value& item : items) keys.push_back(sort_key(raw_key(item), bound.flag(2)));
  items = sorted(std::move(items), std::move(keys), false, call.budget());
  Items groups;
  for (std::size_t begin = 0; begin < items.size();) {
    const Value key = sort_key(raw_key(items[begin]), bound.flag(2));
    std::size_t end = begin + 1;
    while (end < items.size() && equals(sort_key(raw_key(items[end]), bound.flag(2)), key, call.budget()))
      ++end;
    Items members(items.begin() + static_cast<Index>(begin), items.begin() + static_cast<Index>(end));
    groups.push_back(Value::tuple({raw_key(items[begin]), Value::list(std::move(members))}));
    begin = end;
  }
  return Value::list(std::move(groups));
}

Value unique(FilterCall call) {
  const Bound bound = call.bind({"case_sensitive", "attribute"});
  Interpreter& interpreter = call.interpreter;
  const auto seen = std::make_shared<Dict>();
  const Value path = bound[1];
  const bool case_sensitive = bound.flag(0);
  const Value subject = call.subject;
  Budget& budget = call.budget();
  return make_iterator(
      [=, &interpreter, &budget, next = Next()]() mutable -> std::optional<Value> {
        if (!next) next = iterate(subject, budget);
        while (std::optional<Value> item = next()) {
          const Value key = sort_key(get_path(interpreter, *item, path), case_sensitive);
          if (seen->find(key) != nullptr) continue;
          seen->set(key, Value());
          return item;
        }
        return std::nullopt;
      },
      subject);
}

}  // namespace filters
}  // namespace llm::jinja
