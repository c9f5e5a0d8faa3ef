// The values of the template language: Python's, as far as templates can tell.
//
// Text, lists and dictionaries never change once they are made (the sandbox that transformers uses forbids it
// too), so copies share them and nothing can contain itself. Only a namespace, an Object, is changed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/types.h"
#include "common/text/jinja/fault.h"

namespace llm::jinja {

class Dict;
class Object;
class Value;
using Items = std::vector<Value>;

enum class Kind { kUndefined, kNone, kBool, kInt, kFloat, kString, kList, kTuple, kDict, kObject };

class Value {
 public:
  Value() = default;  // None
  explicit Value(bool value) : kind_(Kind::kBool), data_(value) {}
  explicit Value(Index value) : kind_(Kind::kInt), data_(value) {}
  explicit Value(double value) : kind_(Kind::kFloat), data_(value) {}
  explicit Value(std::string text);
  explicit Value(std::shared_ptr<Object> object);
  explicit Value(const char*) = delete;  // would become a bool

  // Prints as nothing and is false; whatever else is done with it is an error that says `why`.
  static Value undefined(std::string why);
  // Errors (both, and dict): kRange when nested deeper than kMaxNesting.
  static Value list(Items items) { return sequence(Kind::kList, std::move(items)); }
  static Value tuple(Items items) { return sequence(Kind::kTuple, std::move(items)); }
  static Value dict(Dict dict);
  // Text that `+` and join do not mix with other text before they have escaped that (filters safe, escape).
  static Value markup(std::string text);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_undefined() const { return kind_ == Kind::kUndefined; }
  bool is_none() const { return kind_ == Kind::kNone; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_integral() const { return kind_ == Kind::kInt || kind_ == Kind::kBool; }
  bool is_number() const { return is_integral() || kind_ == Kind::kFloat; }
  bool is_sequence() const { return kind_ == Kind::kList || kind_ == Kind::kTuple; }
  bool is_markup() const { return markup_; }

  // What is inside; the caller has looked at kind().
  bool boolean() const { return std::get<bool>(data_); }
  Index integer() const;                                                // kInt, kBool
  double number() const;                                                // kInt, kBool, kFloat
  const std::string& string() const { return *std::get<Text>(data_); }  // kString, the reason of kUndefined
  const Items& items() const { return std::get<Sequence>(data_)->items; }
  const Dict& dict() const { return *std::get<std::shared_ptr<const Dict>>(data_); }
  Object& object() const { return *std::get<std::shared_ptr<Object>>(data_); }
  const std::shared_ptr<Object>& shared_object() const { return std::get<std::shared_ptr<Object>>(data_); }

  // The object as a T, or null when it is none.
  template <class T>
  T* as() const {
    return is(Kind::kObject) ? dynamic_cast<T*>(&object()) : nullptr;
  }

  // Whether both are one and the same object (Python's `is`, for what is shared).
  bool same_object(const Value& other) const;
  // How deep lists and dictionaries nest in this: 0 for a number or a text.
  int depth() const;
  // A rough count of the bytes that looking at all of this takes (nested lists count as one slot).
  Index size_bytes() const;

 private:
  struct Slots {
    Items items;
    int depth;
  };
  using Text = std::shared_ptr<const std::string>;
  using Sequence = std::shared_ptr<const Slots>;

  static Value sequence(Kind kind, Items items);

  Kind kind_ = Kind::kNone;
  bool markup_ = false;
  std::variant<std::monostate, bool, Index, double, Text, Sequence, std::shared_ptr<const Dict>,
               std::shared_ptr<Object>>
      data_;
};

// A dictionary that keeps the order of insertion.
class Dict {
 public:
  using Entries = std::vector<std::pair<Value, Value>>;

  // Errors: kMismatch for a key that Python cannot hash (a list, a dict).
  void set(const Value& key, Value value);
  void set(std::string_view key, Value value) { set(Value(std::string(key)), std::move(value)); }
  // Null when there is no such key.
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const { return find(Value(std::string(key))); }

  const Entries& entries() const { return entries_; }
  Index size() const { return static_cast<Index>(entries_.size()); }
  int depth() const { return depth_; }

 private:
  Entries entries_;
  std::unordered_map<std::string, std::size_t> index_;
  int depth_ = 1;
};

// Hands out one value after another, once; nothing when there are no more.
using Next = std::function<std::optional<Value>()>;

// The arguments of a call, as written.
struct Arguments {
  Items positional;
  std::vector<std::pair<std::string, Value>> named;
};

class Interpreter;

// Whatever is neither data nor text: a namespace, a range, a macro, a bound method, `loop`, ...
// The defaults say that it cannot do the thing.
class Object {
 public:
  virtual ~Object() = default;
  // As type(x).__name__ in Python; in messages.
  virtual std::string type_name() const = 0;
  virtual std::string repr(Budget&) const { return "<" + type_name() + ">"; }
  virtual bool truth() const { return true; }
  virtual bool equals(const Object& other, Budget&) const { return this == &other; }
  virtual std::optional<Value> attribute(Interpreter&, const std::string&) { return std::nullopt; }
  virtual std::optional<Value> item(const Value&) { return std::nullopt; }
  virtual std::optional<Index> length() { return std::nullopt; }
  virtual Next iterate(bool /*reversed*/) { return nullptr; }
  virtual bool is_reversible() const { return false; }
  virtual bool is_callable() const { return false; }
  virtual Value call(Interpreter&, Arguments) { fault("'" + type_name() + "' object is not callable"); }
  // As Value::depth(): of what this object holds and cannot change any more.
  virtual int depth() const { return 0; }
};

// As type(x).__name__ in Python.
std::string type_name(const Value& value);

// Python's bool(x).
bool truth(const Value& value);

// Python's len(x), or nothing for what has no length.
std::optional<Index> length(const Value& value);

// Python's iter(x): items, characters, keys. Errors: kMismatch for what cannot be iterated over.
// Undefined has no elements. The result keeps what it needs alive; each element is charged to the budget.
Next iterate(const Value& value, Budget& budget);
bool is_iterable(const Value& value);
// Python's reversed(x), or null where Python would refuse.
Next iterate_reversed(const Value& value, Budget& budget);
// Python's list(x).
Items to_items(const Value& value, Budget& budget);

// Raises the error that an undefined value stands for.
[[noreturn]] void fault_undefined(const Value& value);

}  // namespace llm::jinja
