// Going through the elements of a value.
#include "common/text/jinja/strings.h"
#include "common/text/jinja/value.h"
#include "common/text/utf8.h"

namespace llm::jinja {
namespace {

// The values of [0, size) through get, forwards or backwards.
Next walk(Index size, bool reversed, Budget& budget, std::function<Value(Index)> get) {
  return [size, reversed, &budget, get = std::move(get), at = Index{0}]() mutable -> std::optional<Value> {
    if (at == size) return std::nullopt;
    budget.step();
    const Index index = reversed ? size - 1 - at : at;
    ++at;
    return get(index);
  };
}

Next walk_items(const Value& value, bool reversed, Budget& budget) {
  return walk(static_cast<Index>(value.items().size()), reversed, budget,
              [value](Index i) { return value.items()[static_cast<std::size_t>(i)]; });
}

Next walk_keys(const Value& value, bool reversed, Budget& budget) {
  return walk(value.dict().size(), reversed, budget,
              [value](Index i) { return value.dict().entries()[static_cast<std::size_t>(i)].first; });
}

Next walk_characters(const Value& value, Budget& budget) {
  return [value, &budget, at = std::size_t{0}]() mutable -> std::optional<Value> {
    const std::string& text = value.string();
    if (at == text.size()) return std::nullopt;
    budget.step();
    const auto length = static_cast<std::size_t>(decode_code_point(text, static_cast<Index>(at)).length);
    Value character(text.substr(at, length));
    at += length;
    return character;
  };
}

}  // namespace

std::optional<Index> length(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined: return 0;
    case Kind::kString: return count_code_points(value.string());
    case Kind::kList:
    case Kind::kTuple: return static_cast<Index>(value.items().size());
    case Kind::kDict: return value.dict().size();
    case Kind::kObject: return value.object().length();
    default: return std::nullopt;
  }
}

bool is_iterable(const Value& value) {
  if (value.is_none() || value.is_number()) return false;
  return !value.is(Kind::kObject) || value.object().iterate(false) != nullptr;
}

Next iterate(const Value& value, Budget& budget) {
  switch (value.kind()) {
    case Kind::kUndefined: return []() -> std::optional<Value> { return std::nullopt; };
    case Kind::kString: return walk_characters(value, budget);
    case Kind::kList:
    case Kind::kTuple: return walk_items(value, false, budget);
    case Kind::kDict: return walk_keys(value, false, budget);
    case Kind::kObject:
      if (Next next = value.object().iterate(false)) {
        // The value is kept alive here: an object's own functions only point to it.
        return [value, next = std::move(next), &budget]() {
          budget.step();
          return next();
        };
      }
      break;
    default: break;
  }
  fault("'" + type_name(value) + "' object is not iterable");
}

Next iterate_reversed(const Value& value, Budget& budget) {
  switch (value.kind()) {
    case Kind::kUndefined: return iterate(value, budget);
    case Kind::kString: {
      Items characters = to_items(value, budget);
      return walk_items(Value::list(std::move(characters)), true, budget);
    }
    case Kind::kList:
    case Kind::kTuple: return walk_items(value, true, budget);
    case Kind::kDict: return walk_keys(value, true, budget);
    case Kind::kObject:
      if (!value.object().is_reversible()) return nullptr;
      return [value, next = value.object().iterate(true), &budget]() {
        budget.step();
        return next();
      };
    default: return nullptr;
  }
}

Items to_items(const Value& value, Budget& budget) {
  Items items;
  if (value.is_sequence()) {
    budget.use_bytes(value.size_bytes());
    items = value.items();
    return items;
  }
  const Next next = iterate(value, budget);
  while (std::optional<Value> item = next()) items.push_back(std::move(*item));
  return items;
}

}  // namespace llm::jinja
