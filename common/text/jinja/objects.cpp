#include "common/text/jinja/objects.h"

#include <algorithm>

#include "common/text/jinja/operators.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja {

std::string Macro::repr(Budget&) const { return "<Macro " + string_repr(definition_.name) + ">"; }

std::optional<Value> Macro::attribute(Interpreter&, const std::string& name) {
  if (name == "name") return Value(definition_.name);
  if (name == "caller") return Value(definition_.uses_caller);
  if (name == "catch_kwargs") return Value(definition_.uses_kwargs);
  if (name == "catch_varargs") return Value(definition_.uses_varargs);
  if (name != "arguments") return std::nullopt;
  Items names;
  for (const Parameter& parameter : definition_.parameters) names.emplace_back(Value(parameter.name));
  return Value::tuple(std::move(names));
}

// The parameters take the arguments in order, then by name, then their defaults. What is left over is an
// error, unless the body speaks of `varargs`, `kwargs` or `caller`.
Value Macro::call(Interpreter& interpreter, Arguments arguments) {
  const auto scope = std::make_shared<Scope>();
  scope->parent = scope_;
  Items& positional = arguments.positional;
  auto& named = arguments.named;
  const std::size_t count = definition_.parameters.size();
  std::vector<const Parameter*> missing;
  bool takes_caller = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Parameter& parameter = definition_.parameters[i];
    takes_caller |= parameter.name == "caller";
    if (i < positional.size()) {
      scope->set(parameter.name, positional[i]);
      continue;
    }
    const auto given =
        std::find_if(named.begin(), named.end(), [&](auto& entry) { return entry.first == parameter.name; });
    if (given != named.end()) {
      scope->set(parameter.name, std::move(given->second));
      named.erase(given);
    } else {
      scope->set(parameter.name, Value::undefined("parameter '" + parameter.name + "' was not provided"));
      missing.push_back(&parameter);
    }
  }
  if (definition_.uses_caller && !takes_caller) {
    const auto given =
        std::find_if(named.begin(), named.end(), [](auto& entry) { return entry.first == "caller"; });
    scope->set("caller", given == named.end() ? Value::undefined("No caller defined") : given->second);
    if (given != named.end()) named.erase(given);
  }
  if (definition_.uses_kwargs) {
    Dict rest;
    for (auto& [name, value] : named) rest.set(name, std::move(value));
    scope->set("kwargs", Value::dict(std::move(rest)));
  } else if (!named.empty()) {
    fault("macro '" + definition_.name + "' takes no keyword argument '" + named.front().first + "'");
  }
  if (definition_.uses_varargs) {
    Items rest(positional.begin() + static_cast<Index>(std::min(count, positional.size())), positional.end());
    scope->set("varargs", Value::tuple(std::move(rest)));
  } else if (positional.size() > count) {
    fault("macro '" + definition_.name + "' takes not more than " + std::to_string(count) + " argument(s)");
  }
  for (const Parameter* parameter : missing) {
    if (parameter->default_value)
      scope->set(parameter->name, interpreter.evaluate(*parameter->default_value, scope));
  }
  return Value(interpreter.render_block(definition_.body, scope));
}

const std::optional<Value>& Loop::peek() {
  if (!has_peeked_) {
    peeked_ = items_();
    has_peeked_ = true;
  }
  return peeked_;
}

std::optional<Value> Loop::advance() {
  std::optional<Value> item = peek();
  has_peeked_ = false;
  if (!item) return std::nullopt;
  ++index0_;
  previous_ = std::exchange(current_, item);
  return item;
}

void Loop::finish() {
  peeked_ = current_ = previous_ = last_changed_ = std::nullopt;
  has_peeked_ = true;
}

// An iterator does not know its length before it has been gone through.
Index Loop::total() {
  if (!length_) {
    Items rest;
    if (has_peeked_ && peeked_) rest.push_back(*peeked_);
    while (std::optional<Value> item = items_()) rest.push_back(std::move(*item));
    length_ = index0_ + 1 + static_cast<Index>(rest.size());
    has_peeked_ = false;
    items_ = [rest = std::move(rest), at = std::size_t{0}]() mutable -> std::optional<Value> {
      return at < rest.size() ? std::optional<Value>(rest[at++]) : std::nullopt;
    };
  }
  return *length_;
}

Value Loop::cycle(const Arguments& arguments) const {
  const auto count = static_cast<Index>(arguments.positional.size());
  if (count == 0) fault("no items for cycling given");
  return arguments.positional[static_cast<std::size_t>(index0_ % count)];
}

bool Loop::changed(const Arguments& arguments, Budget& budget) {
  Value value = Value::tuple(arguments.positional);
  if (last_changed_ && jinja::equals(*last_changed_, value, budget)) return false;
  last_changed_ = std::move(value);
  return true;
}

std::optional<Value> Loop::attribute(Interpreter&, const std::string& name) {
  if (name == "index0") return Value(index0_);
  if (name == "index") return Value(index0_ + 1);
  if (name == "first") return Value(index0_ == 0);
  if (name == "last") return Value(!peek().has_value());
  if (name == "length") return Value(total());
  if (name == "revindex") return Value(total() - index0_);
  if (name == "revindex0") return Value(total() - index0_ - 1);
  if (name == "depth0") return Value(depth_);
  if (name == "depth") return Value(depth_ + 1);
  if (name == "previtem") return previous_ ? *previous_ : Value::undefined("there is no previous item");
  if (name == "nextitem") return peek() ? *peeked_ : Value::undefined("there is no next item");
  if (name == "cycle") {
    return Value(std::make_shared<Function>(
        name, [self = shared_from_this()](Interpreter&, const Arguments& arguments) {
          return self->cycle(arguments);
        }));
  }
  if (name == "changed") {
    return Value(std::make_shared<Function>(
        name, [self = shared_from_this()](Interpreter& interpreter, const Arguments& arguments) {
          return Value(self->changed(arguments, interpreter.budget()));
        }));
  }
  return std::nullopt;
}

Value Loop::call(Interpreter& interpreter, Arguments arguments) {
  if (!node_.recursive) fault("the loop must have the 'recursive' marker to be called recursively");
  if (arguments.positional.size() != 1 || !arguments.named.empty()) fault("loop() takes one argument");
  return Value(interpreter.render_loop(node_, arguments.positional[0], scope_, depth_ + 1));
}

std::string Range::repr(Budget&) const {
  const std::string ends = std::to_string(start_) + ", " + std::to_string(stop_);
  return "range(" + ends + (step_ == 1 ? "" : ", " + std::to_string(step_)) + ")";
}

bool Range::equals(const Object& other, Budget&) const {
  const auto* range = dynamic_cast<const Range*>(&other);
  if (range == nullptr || count_ != range->count_) return false;
  return count_ == 0 || (start_ == range->start_ && (count_ == 1 || step_ == range->step_));
}

std::optional<Value> Range::item(const Value& key) {
  if (!key.is_integral()) return std::nullopt;
  const auto index = wrap_index(key.integer(), count_);
  return index ? std::optional<Value>(at(*index)) : std::nullopt;
}

Next Range::iterate(bool reversed) {
  return [range = *this, reversed, i = Index{0}]() mutable -> std::optional<Value> {
    if (i == range.count_) return std::nullopt;
    const Index index = reversed ? range.count_ - 1 - i : i;
    ++i;
    return Value(range.at(index));
  };
}

std::string DictView::type_name() const {
  return what_ == What::kKeys ? "dict_keys" : what_ == What::kValues ? "dict_values" : "dict_items";
}

Value DictView::element(Index i) const {
  const auto& [key, value] = dict_.dict().entries()[static_cast<std::size_t>(i)];
  if (what_ == What::kKeys) return key;
  return what_ == What::kValues ? value : Value::tuple({key, value});
}

std::string DictView::repr(Budget& budget) const {
  Items items;
  for (Index i = 0; i < dict_.dict().size(); ++i) items.push_back(element(i));
  return type_name() + "(" + jinja::repr(Value::list(std::move(items)), budget) + ")";
}

Next DictView::iterate(bool reversed) {
  return [view = *this, reversed, i = Index{0}]() mutable -> std::optional<Value> {
    const Index size = view.dict_.dict().size();
    if (i == size) return std::nullopt;
    const Index index = reversed ? size - 1 - i : i;
    ++i;
    return view.element(index);
  };
}

Value make_iterator(Next next, const Value& source) {
  return Value(std::make_shared<Iterator>(std::move(next), source.depth()));
}

}  // namespace llm::jinja
