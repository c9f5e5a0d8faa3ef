#include "common/text/jinja/interpreter.h"

#include <algorithm>

#include "common/text/jinja/filters.h"
#include "common/text/jinja/methods.h"
#include "common/text/jinja/objects.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja {
namespace {

// How messages call an object: "'dict object' has no attribute 'x'".
std::string describe(const Value& value) {
  if (value.is_none()) return "None";
  return type_name(value) + " object";
}

std::string missing_item(const Value& object, const Value& key, Budget& budget) {
  if (key.is_string()) return "'" + describe(object) + "' has no attribute " + string_repr(key.string());
  return describe(object) + " has no element " + repr(key, budget);
}

}  // namespace

const Value* Scope::find(const std::string& name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent.get()) {
    for (const auto& [known, value] : scope->variables) {
      if (known == name) return &value;
    }
  }
  return nullptr;
}

void Scope::set(const std::string& name, Value value) {
  for (auto& [known, old] : variables) {
    if (known == name) {
      old = std::move(value);
      return;
    }
  }
  variables.emplace_back(name, std::move(value));
}

std::string Namespace::repr(Budget& budget) const {
  return "<Namespace " + jinja::repr(Value::dict(attributes), budget) + ">";
}

std::optional<Value> Namespace::attribute(Interpreter&, const std::string& name) {
  const Value* value = attributes.find(name);
  return value == nullptr ? std::nullopt : std::optional<Value>(*value);
}

// Macros and namespaces can form circles; emptying them here frees all that a rendering made.
Interpreter::~Interpreter() {
  for (const auto& object : namespaces_) object->attributes = Dict();
  for (const ScopePtr& scope : closures_) scope->variables.clear();
}

std::string Interpreter::render(const Block& block, const Dict& variables) {
  auto globals = std::make_shared<Scope>();
  add_globals(*globals);
  for (const auto& [name, value] : variables.entries()) globals->set(name.string(), value);
  auto scope = std::make_shared<Scope>();
  scope->parent = std::move(globals);
  return render_block(block, scope);
}

std::string Interpreter::render_block(const Block& block, const ScopePtr& scope) {
  std::string out;
  if (execute(block, scope, out) != Flow::kNormal)
    fault("'break' or 'continue' outside a loop", ErrorCode::kFormat);
  return out;
}

std::shared_ptr<Namespace> Interpreter::make_namespace() {
  namespaces_.push_back(std::make_shared<Namespace>());
  return namespaces_.back();
}

void Interpreter::print(const std::string& text, std::string& out) {
  const auto size = static_cast<Index>(out.size() + text.size());
  budget_.use_bytes(size > kMaxObject_bytes ? size : static_cast<Index>(text.size()));
  out += text;
}

Value Interpreter::make_macro(const MacroDefinition& definition, const ScopePtr& scope) {
  closures_.push_back(scope);
  return Value(std::make_shared<Macro>(definition, scope));
}

Value Interpreter::get_attribute(const Value& object, const std::string& name) {
  if (object.is_undefined()) fault_undefined(object);
  if (object.is(Kind::kObject)) {
    if (std::optional<Value> value = object.object().attribute(*this, name)) return std::move(*value);
  }
  if (std::optional<Value> method = find_method(object, name)) return std::move(*method);
  const Value key(name);
  if (std::optional<Value> item = jinja::get_item(object, key, budget_)) return std::move(*item);
  return Value::undefined(missing_item(object, key, budget_));
}

Value Interpreter::get_item(const Value& object, const Value& key) {
  if (object.is_undefined()) fault_undefined(object);
  if (std::optional<Value> item = jinja::get_item(object, key, budget_)) return std::move(*item);
  if (key.is_string()) {
    if (object.is(Kind::kObject)) {
      if (std::optional<Value> value = object.object().attribute(*this, key.string()))
        return std::move(*value);
    }
    if (std::optional<Value> method = find_method(object, key.string())) return std::move(*method);
  }
  return Value::undefined(missing_item(object, key, budget_));
}

Value Interpreter::call(const Value& callee, Arguments arguments) {
  constexpr int kCallWeight = 5;
  const DepthGuard guard(depth_, kCallWeight);
  if (callee.is_undefined()) fault_undefined(callee);
  if (!callee.is(Kind::kObject)) fault("'" + type_name(callee) + "' object is not callable");
  return callee.object().call(*this, std::move(arguments));
}

Value Interpreter::apply_filter(const std::string& name, const Value& subject, Arguments arguments) {
  budget_.step();
  budget_.use_bytes(subject.size_bytes());
  return find_filter(name)({*this, name, subject, std::move(arguments)});
}

Value Interpreter::apply_test(const std::string& name, const Value& subject, Arguments arguments) {
  budget_.step();
  return find_test(name)({*this, name, subject, std::move(arguments)});
}

void Interpreter::assign(const Target& target, Value value, Scope& scope) {
  if (!target.parts.empty()) {
    const Items items = to_items(value, budget_);
    if (items.size() != target.parts.size()) {
      fault("cannot unpack " + std::to_string(items.size()) + " values into " +
            std::to_string(target.parts.size()) + " names");
    }
    for (std::size_t i = 0; i < items.size(); ++i) assign(target.parts[i], items[i], scope);
    return;
  }
  if (!target.attribute) {
    scope.set(target.name, std::move(value));
    return;
  }
  const Value* holder = scope.find(target.name);
  auto* object = holder == nullptr ? nullptr : holder->as<Namespace>();
  if (object == nullptr) fault("cannot assign attribute on non-namespace object");
  if (target.attribute->starts_with('_'))
    fault("a namespace has no attributes that start with an underscore");
  object->attributes.set(*target.attribute, std::move(value));
}

}  // namespace llm::jinja
