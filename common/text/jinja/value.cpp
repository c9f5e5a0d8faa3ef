#include "common/text/jinja/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/text/jinja/strings.h"

namespace llm::jinja {
namespace {

int checked_depth(int depth) {
  if (depth > kMaxNesting) fault("lists and dictionaries are nested too deeply", ErrorCode::kRange);
  return depth;
}

// A text that is equal for two keys exactly when Python holds them equal: 1, 1.0 and True are one key.
std::string hash_text(const Value& key) {
  switch (key.kind()) {
    case Kind::kNone: return "n";
    case Kind::kUndefined: return "u";
    case Kind::kBool:
    case Kind::kInt: return "i" + std::to_string(key.integer());
    case Kind::kFloat: {
      const double number = key.number();
      if (std::trunc(number) == number && std::abs(number) < 9e15) {
        return "i" + std::to_string(static_cast<Index>(number));
      }
      return "f" + float_repr(number);
    }
    case Kind::kString: return "s" + key.string();
    case Kind::kTuple: {
      std::string text = "t";
      for (const Value& item : key.items()) {
        const std::string part = hash_text(item);
        text += std::to_string(part.size()) + ":" + part;
      }
      return text;
    }
    case Kind::kObject: return "o" + std::to_string(reinterpret_cast<std::uintptr_t>(&key.object()));
    case Kind::kList:
    case Kind::kDict: break;
  }
  fault("unhashable type: '" + type_name(key) + "'");
}

}  // namespace

Value::Value(std::string text)
    : kind_(Kind::kString), data_(std::make_shared<const std::string>(std::move(text))) {}

Value::Value(std::shared_ptr<Object> object) : kind_(Kind::kObject), data_(std::move(object)) {
  checked_depth(depth());
}

Value Value::undefined(std::string why) {
  Value value(std::move(why));
  value.kind_ = Kind::kUndefined;
  return value;
}

Value Value::markup(std::string text) {
  Value value(std::move(text));
  value.markup_ = true;
  return value;
}

Value Value::sequence(Kind kind, Items items) {
  int depth = 1;
  for (const Value& item : items) depth = std::max(depth, item.depth() + 1);
  Value value;
  value.kind_ = kind;
  value.data_ = std::make_shared<const Slots>(Slots{std::move(items), checked_depth(depth)});
  return value;
}

Value Value::dict(Dict dict) {
  checked_depth(dict.depth());
  Value value;
  value.kind_ = Kind::kDict;
  value.data_ = std::make_shared<const Dict>(std::move(dict));
  return value;
}

Index Value::integer() const { return is(Kind::kBool) ? Index{boolean()} : std::get<Index>(data_); }

double Value::number() const {
  return is(Kind::kFloat) ? std::get<double>(data_) : static_cast<double>(integer());
}

bool Value::same_object(const Value& other) const {
  if (kind_ != other.kind_) return false;
  switch (kind_) {
    case Kind::kNone: return true;
    case Kind::kBool: return boolean() == other.boolean();
    case Kind::kInt:  // Python shares small numbers
      return integer() == other.integer() && integer() >= -5 && integer() <= 256;
    case Kind::kFloat: return false;
    case Kind::kUndefined:
    case Kind::kString: return std::get<Text>(data_) == std::get<Text>(other.data_);
    case Kind::kList:
    case Kind::kTuple: return std::get<Sequence>(data_) == std::get<Sequence>(other.data_);
    case Kind::kDict: return &dict() == &other.dict();
    case Kind::kObject: return &object() == &other.object();
  }
  return false;
}

int Value::depth() const {
  if (is_sequence()) return std::get<Sequence>(data_)->depth;
  if (is(Kind::kDict)) return dict().depth();
  return is(Kind::kObject) ? object().depth() : 0;
}

Index Value::size_bytes() const {
  if (is_string()) return static_cast<Index>(string().size());
  if (is_sequence()) return static_cast<Index>(items().size() * sizeof(Value));
  if (is(Kind::kDict)) return dict().size() * static_cast<Index>(2 * sizeof(Value));
  return 0;
}

void Dict::set(const Value& key, Value value) {
  depth_ = std::max({depth_, key.depth() + 1, value.depth() + 1});
  const auto [place, is_new] = index_.try_emplace(hash_text(key), entries_.size());
  if (is_new) {
    entries_.emplace_back(key, std::move(value));
  } else {
    entries_[place->second].second = std::move(value);
  }
}

const Value* Dict::find(const Value& key) const {
  const auto place = index_.find(hash_text(key));
  return place == index_.end() ? nullptr : &entries_[place->second].second;
}

std::string type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined: return "Undefined";
    case Kind::kNone: return "NoneType";
    case Kind::kBool: return "bool";
    case Kind::kInt: return "int";
    case Kind::kFloat: return "float";
    case Kind::kString: return value.is_markup() ? "Markup" : "str";
    case Kind::kList: return "list";
    case Kind::kTuple: return "tuple";
    case Kind::kDict: return "dict";
    case Kind::kObject: return value.object().type_name();
  }
  return "object";
}

bool truth(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
    case Kind::kNone: return false;
    case Kind::kBool:
    case Kind::kInt: return value.integer() != 0;
    case Kind::kFloat: return value.number() != 0.0;
    case Kind::kString: return !value.string().empty();
    case Kind::kList:
    case Kind::kTuple: return !value.items().empty();
    case Kind::kDict: return value.dict().size() != 0;
    case Kind::kObject: return value.object().truth();
  }
  return false;
}

void fault_undefined(const Value& value) { fault(value.string()); }

}  // namespace llm::jinja
