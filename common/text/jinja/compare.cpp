// Comparing, looking for and picking out elements.
#include <algorithm>
#include <cmath>

#include "common/text/jinja/operators.h"
#include "common/text/jinja/strings.h"
#include "common/text/utf8.h"

namespace llm::jinja {
namespace {

bool same_or_equal(const Value& left, const Value& right, Budget& budget) {
  return left.same_object(right) || equals(left, right, budget);
}

bool equal_dicts(const Dict& left, const Dict& right, Budget& budget) {
  if (left.size() != right.size()) return false;
  return std::all_of(left.entries().begin(), left.entries().end(), [&](const auto& entry) {
    const Value* other = right.find(entry.first);
    return other != nullptr && same_or_equal(entry.second, *other, budget);
  });
}

// -1, 0, 1, or 2 where no order exists (NaN). Whole numbers are compared exactly.
int order_numbers(const Value& left, const Value& right) {
  if (left.is_integral() && right.is_integral()) {
    return left.integer() < right.integer() ? -1 : left.integer() > right.integer();
  }
  // A long double holds every 64-bit number exactly.
  const auto a = left.is_integral() ? static_cast<long double>(left.integer()) : left.number();
  const auto b = right.is_integral() ? static_cast<long double>(right.integer()) : right.number();
  if (std::isnan(a) || std::isnan(b)) return 2;
  return a < b ? -1 : a > b;
}

bool order_matches(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kLess: return order == -1;
    case CompareOp::kLessEqual: return order == -1 || order == 0;
    case CompareOp::kGreater: return order == 1;
    default: return order == 1 || order == 0;
  }
}

const char* symbol(CompareOp op) {
  switch (op) {
    case CompareOp::kLess: return "<";
    case CompareOp::kLessEqual: return "<=";
    case CompareOp::kGreater: return ">";
    default: return ">=";
  }
}

bool ordered(CompareOp op, const Value& left, const Value& right, Budget& budget) {
  budget.step();
  if (left.is_undefined()) fault_undefined(left);
  if (right.is_undefined()) fault_undefined(right);
  if (left.is_number() && right.is_number()) return order_matches(op, order_numbers(left, right));
  if (left.is_string() && right.is_string()) {
    budget.use_bytes(std::min(left.size_bytes(), right.size_bytes()));
    const int order = left.string().compare(right.string());
    return order_matches(op, order < 0 ? -1 : order > 0);
  }
  if (left.is_sequence() && left.kind() == right.kind()) {
    const std::size_t common = std::min(left.items().size(), right.items().size());
    for (std::size_t i = 0; i < common; ++i) {
      if (!same_or_equal(left.items()[i], right.items()[i], budget)) {
        return ordered(op, left.items()[i], right.items()[i], budget);
      }
    }
    return order_matches(op, order_numbers(Value(static_cast<Index>(left.items().size())),
                                           Value(static_cast<Index>(right.items().size()))));
  }
  fault(std::string("'") + symbol(op) + "' not supported between instances of '" + type_name(left) +
        "' and '" + type_name(right) + "'");
}

}  // namespace

bool equals(const Value& left, const Value& right, Budget& budget) {
  budget.step();
  if (left.is_number() && right.is_number()) return order_numbers(left, right) == 0;
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case Kind::kUndefined:
    case Kind::kNone: return true;
    case Kind::kString:
      budget.use_bytes(std::min(left.size_bytes(), right.size_bytes()));
      return left.string() == right.string();
    case Kind::kList:
    case Kind::kTuple:
      return left.items().size() == right.items().size() &&
             std::equal(left.items().begin(), left.items().end(), right.items().begin(),
                        [&](const Value& a, const Value& b) { return same_or_equal(a, b, budget); });
    case Kind::kDict: return equal_dicts(left.dict(), right.dict(), budget);
    case Kind::kObject: return left.object().equals(right.object(), budget);
    default: return false;
  }
}

bool compare(CompareOp op, const Value& left, const Value& right, Budget& budget) {
  switch (op) {
    case CompareOp::kEqual: return equals(left, right, budget);
    case CompareOp::kNotEqual: return !equals(left, right, budget);
    case CompareOp::kIn: return contains(right, left, budget);
    case CompareOp::kNotIn: return !contains(right, left, budget);
    default: return ordered(op, left, right, budget);
  }
}

bool contains(const Value& container, const Value& item, Budget& budget) {
  if (container.is_string()) {
    if (!item.is_string()) fault("'in <string>' requires string as left operand, not " + type_name(item));
    budget.use_bytes(container.size_bytes());
    return container.string().find(item.string()) != std::string::npos;
  }
  if (container.is(Kind::kDict)) return container.dict().find(item) != nullptr;
  if (!is_iterable(container)) fault("argument of type '" + type_name(container) + "' is not iterable");
  const Next next = iterate(container, budget);
  while (const std::optional<Value> candidate = next()) {
    if (same_or_equal(*candidate, item, budget)) return true;
  }
  return false;
}

std::optional<Index> wrap_index(Index index, Index size) {
  if (index < 0) index += size;
  if (index < 0 || index >= size) return std::nullopt;
  return index;
}

Index as_index(const Value& value, const std::string& what) {
  if (value.is_undefined()) fault_undefined(value);
  if (!value.is_integral()) fault(what + " must be an integer, not " + type_name(value));
  return value.integer();
}

std::optional<Value> get_item(const Value& container, const Value& key, Budget& budget) {
  switch (container.kind()) {
    case Kind::kUndefined: fault_undefined(container);
    case Kind::kDict: {
      if (key.is(Kind::kList) || key.is(Kind::kDict)) return std::nullopt;
      const Value* value = container.dict().find(key);
      return value == nullptr ? std::nullopt : std::optional<Value>(*value);
    }
    case Kind::kList:
    case Kind::kTuple: {
      if (!key.is_integral()) return std::nullopt;
      const auto at = wrap_index(key.integer(), static_cast<Index>(container.items().size()));
      return at ? std::optional<Value>(container.items()[static_cast<std::size_t>(*at)]) : std::nullopt;
    }
    case Kind::kString: {
      if (!key.is_integral()) return std::nullopt;
      budget.use_bytes(container.size_bytes());
      const std::string& text = container.string();
      const auto at = wrap_index(key.integer(), count_code_points(text));
      if (!at) return std::nullopt;
      const std::size_t begin = byte_offset(text, *at);
      const Index length = decode_code_point(text, static_cast<Index>(begin)).length;
      return Value(text.substr(begin, static_cast<std::size_t>(length)));
    }
    case Kind::kObject: return container.object().item(key);
    default: return std::nullopt;
  }
}

SliceRange resolve_slice(const Value& start, const Value& stop, const Value& step, Index size) {
  const std::string what = "slice indices";
  SliceRange range;
  range.step = step.is_none() ? 1 : as_index(step, what);
  if (range.step == 0) fault("slice step cannot be zero");
  // Where a walk in this direction may start and end.
  const Index low = range.step < 0 ? -1 : 0;
  const Index high = range.step < 0 ? size - 1 : size;
  const auto clamp = [&](const Value& value, Index otherwise) {
    if (value.is_none()) return otherwise;
    Index index = as_index(value, what);
    if (index < 0) index += size;
    return std::clamp(index, low, std::max(low, high));
  };
  range.start = clamp(start, range.step < 0 ? high : low);
  const Index end = clamp(stop, range.step < 0 ? low : high);
  const Index distance = range.step < 0 ? range.start - end : end - range.start;
  if (distance <= 0) return range;
  // Written so that no step, however large, overflows.
  const auto stride =
      range.step < 0 ? -static_cast<std::uint64_t>(range.step) : static_cast<std::uint64_t>(range.step);
  range.count = static_cast<Index>((static_cast<std::uint64_t>(distance) - 1) / stride) + 1;
  return range;
}

Value slice(const Value& container, const Value& start, const Value& stop, const Value& step,
            Budget& budget) {
  if (container.is_undefined()) fault_undefined(container);
  budget.use_bytes(container.size_bytes());
  if (container.is_sequence()) {
    const SliceRange range = resolve_slice(start, stop, step, static_cast<Index>(container.items().size()));
    Items items;
    Index at = range.start;
    for (Index i = 0; i < range.count; ++i) {
      items.push_back(container.items()[static_cast<std::size_t>(at)]);
      if (i + 1 < range.count) at += range.step;
    }
    return container.is(Kind::kList) ? Value::list(std::move(items)) : Value::tuple(std::move(items));
  }
  if (container.is_string()) {
    const std::u32string text = decode_utf8(container.string());
    const SliceRange range = resolve_slice(start, stop, step, static_cast<Index>(text.size()));
    std::string result;
    Index at = range.start;
    for (Index i = 0; i < range.count; ++i) {
      append_code_point(result, text[static_cast<std::size_t>(at)]);
      if (i + 1 < range.count) at += range.step;
    }
    return Value(std::move(result));
  }
  if (container.is(Kind::kObject)) {
    if (const auto size = container.object().length()) {
      const SliceRange range = resolve_slice(start, stop, step, *size);
      Items items;
      Index at = range.start;
      for (Index i = 0; i < range.count; ++i) {
        std::optional<Value> item = container.object().item(Value(at));
        if (!item) break;
        items.push_back(std::move(*item));
        if (i + 1 < range.count) at += range.step;
      }
      if (range.count == static_cast<Index>(items.size())) return Value::list(std::move(items));
    }
  }
  fault("'" + type_name(container) + "' object is not subscriptable");
}

}  // namespace llm::jinja
