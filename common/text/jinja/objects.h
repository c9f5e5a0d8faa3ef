// The objects that a template meets: macros, `loop`, ranges, views of dictionaries, iterators, methods.
#pragma once

#include <memory>
#include <string>

#include "common/text/jinja/interpreter.h"

namespace llm::jinja {

// {% macro %} and the body of {% call %}.
class Macro : public Object {
 public:
  Macro(const MacroDefinition& definition, ScopePtr scope)
      : definition_(definition), scope_(std::move(scope)) {}

  std::string type_name() const override { return "Macro"; }
  std::string repr(Budget&) const override;
  std::optional<Value> attribute(Interpreter&, const std::string& name) override;
  bool is_callable() const override { return true; }
  Value call(Interpreter& interpreter, Arguments arguments) override;

 private:
  const MacroDefinition& definition_;
  ScopePtr scope_;  // where it was defined
};

// The variable `loop`.
class Loop : public Object, public std::enable_shared_from_this<Loop> {
 public:
  // items: what is left to go through. length: of the iterable, where it has one.
  Loop(const For& node, Next items, std::optional<Index> length, ScopePtr scope, Index depth)
      : node_(node), items_(std::move(items)), length_(length), scope_(std::move(scope)), depth_(depth) {}

  // Goes on to the next item; nothing when there is none.
  std::optional<Value> advance();
  // Lets go of all items, so that a loop that was told of itself is freed.
  void finish();

  std::string type_name() const override { return "LoopContext"; }
  std::optional<Value> attribute(Interpreter& interpreter, const std::string& name) override;
  std::optional<Index> length() override { return total(); }
  bool is_callable() const override { return true; }
  Value call(Interpreter& interpreter, Arguments arguments) override;

 private:
  const std::optional<Value>& peek();
  Index total();
  Value cycle(const Arguments& arguments) const;
  bool changed(const Arguments& arguments, Budget& budget);

  const For& node_;
  Next items_;
  std::optional<Index> length_;
  ScopePtr scope_;
  Index depth_;
  Index index0_ = -1;
  bool has_peeked_ = false;
  std::optional<Value> peeked_;
  std::optional<Value> current_;
  std::optional<Value> previous_;
  std::optional<Value> last_changed_;
};

// Python's range.
class Range : public Object {
 public:
  Range(Index start, Index stop, Index step, Index count)
      : start_(start), stop_(stop), step_(step), count_(count) {}

  std::string type_name() const override { return "range"; }
  std::string repr(Budget&) const override;
  bool truth() const override { return count_ != 0; }
  bool equals(const Object& other, Budget&) const override;
  std::optional<Value> item(const Value& key) override;
  std::optional<Index> length() override { return count_; }
  Next iterate(bool reversed) override;
  bool is_reversible() const override { return true; }

 private:
  Index at(Index i) const { return start_ + i * step_; }

  Index start_;
  Index stop_;
  Index step_;
  Index count_;
};

// dict.keys(), dict.values(), dict.items().
class DictView : public Object {
 public:
  enum class What { kKeys, kValues, kItems };
  DictView(Value dict, What what) : dict_(std::move(dict)), what_(what) {}

  std::string type_name() const override;
  std::string repr(Budget& budget) const override;
  bool truth() const override { return dict_.dict().size() != 0; }
  std::optional<Index> length() override { return dict_.dict().size(); }
  Next iterate(bool reversed) override;
  bool is_reversible() const override { return true; }
  int depth() const override { return dict_.depth() + 1; }

 private:
  Value element(Index i) const;

  Value dict_;
  What what_;
};

// Something to go through once, as map, select and the like give: what it hands out is made on the way.
class Iterator : public Object {
 public:
  Iterator(Next next, int depth) : next_(std::make_shared<Next>(std::move(next))), depth_(depth + 1) {}

  std::string type_name() const override { return "generator"; }
  Next iterate(bool) override {
    return [next = next_] { return (*next)(); };
  }
  int depth() const override { return depth_; }

 private:
  std::shared_ptr<Next> next_;
  int depth_;
};

// An iterator over what `source` holds: source's depth bounds the chain of iterators.
Value make_iterator(Next next, const Value& source);

// A function of the language with a name; self is the object that it is a method of.
class Function : public Object {
 public:
  using Body = std::function<Value(Interpreter&, Arguments)>;
  Function(std::string name, Body body, int depth = 0)
      : name_(std::move(name)), body_(std::move(body)), depth_(depth) {}

  std::string type_name() const override { return "builtin_function_or_method"; }
  bool is_callable() const override { return true; }
  Value call(Interpreter& interpreter, Arguments arguments) override {
    return body_(interpreter, std::move(arguments));
  }
  int depth() const override { return depth_; }

 private:
  std::string name_;
  Body body_;
  int depth_;
};

}  // namespace llm::jinja
