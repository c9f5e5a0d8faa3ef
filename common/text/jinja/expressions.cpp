// The expressions of the interpreter.
#include "common/text/jinja/interpreter.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja {

Value Interpreter::value_or_none(const ExpressionPtr& expression, const ScopePtr& scope) {
  return expression ? evaluate(*expression, scope) : Value();
}

Value Interpreter::value_of(const Literal& node, const ScopePtr&) { return node.value; }

Value Interpreter::value_of(const Name& node, const ScopePtr& scope) {
  const Value* value = scope->find(node.name);
  return value == nullptr ? Value::undefined("'" + node.name + "' is undefined") : *value;
}

Value Interpreter::value_of(const ListDisplay& node, const ScopePtr& scope) {
  Items items;
  for (const ExpressionPtr& item : node.items) items.push_back(evaluate(*item, scope));
  return node.is_tuple ? Value::tuple(std::move(items)) : Value::list(std::move(items));
}

Value Interpreter::value_of(const DictDisplay& node, const ScopePtr& scope) {
  Dict dict;
  for (const auto& [key_node, value_node] : node.entries) {
    const Value key = evaluate(*key_node, scope);
    dict.set(key, evaluate(*value_node, scope));
  }
  return Value::dict(std::move(dict));
}

Value Interpreter::value_of(const Unary& node, const ScopePtr& scope) {
  const Value operand = evaluate(*node.operand, scope);
  if (node.op == Unary::Op::kNot) return Value(!truth(operand));
  return node.op == Unary::Op::kNegate ? negate(operand) : posate(operand);
}

Value Interpreter::value_of(const Binary& node, const ScopePtr& scope) {
  const Value left = evaluate(*node.left, scope);
  const Value right = evaluate(*node.right, scope);
  return apply(node.op, left, right, budget_);
}

Value Interpreter::value_of(const Logical& node, const ScopePtr& scope) {
  Value left = evaluate(*node.left, scope);
  return truth(left) == node.is_and ? evaluate(*node.right, scope) : left;
}

Value Interpreter::value_of(const Comparison& node, const ScopePtr& scope) {
  Value left = evaluate(*node.first, scope);
  for (const auto& [op, expression] : node.rest) {
    Value right = evaluate(*expression, scope);
    if (!compare(op, left, right, budget_)) return Value(false);
    left = std::move(right);
  }
  return Value(true);
}

Value Interpreter::value_of(const Concatenation& node, const ScopePtr& scope) {
  std::string text;
  for (const ExpressionPtr& part : node.parts) print(to_text(evaluate(*part, scope), budget_), text);
  return Value(std::move(text));
}

Value Interpreter::value_of(const Conditional& node, const ScopePtr& scope) {
  if (truth(evaluate(*node.test, scope))) return evaluate(*node.then, scope);
  if (node.otherwise) return evaluate(*node.otherwise, scope);
  return Value::undefined("the inline if-expression on line " + std::to_string(node.test->line) +
                          " evaluated to false and no else section was defined.");
}

Value Interpreter::value_of(const AttributeAccess& node, const ScopePtr& scope) {
  return get_attribute(evaluate(*node.object, scope), node.name);
}

Value Interpreter::value_of(const ItemAccess& node, const ScopePtr& scope) {
  const Value object = evaluate(*node.object, scope);
  return get_item(object, evaluate(*node.key, scope));
}

Value Interpreter::value_of(const SliceAccess& node, const ScopePtr& scope) {
  const Value object = evaluate(*node.object, scope);
  const Value start = value_or_none(node.start, scope);
  const Value stop = value_or_none(node.stop, scope);
  return slice(object, start, stop, value_or_none(node.step, scope), budget_);
}

Arguments Interpreter::evaluate_arguments(const CallArguments& nodes, const ScopePtr& scope) {
  Arguments arguments;
  for (const ExpressionPtr& node : nodes.positional) arguments.positional.push_back(evaluate(*node, scope));
  for (const auto& [name, node] : nodes.named) arguments.named.emplace_back(name, evaluate(*node, scope));
  if (nodes.star) {
    for (Value& item : to_items(evaluate(*nodes.star, scope), budget_))
      arguments.positional.push_back(std::move(item));
  }
  if (nodes.double_star) {
    const Value mapping = evaluate(*nodes.double_star, scope);
    if (!mapping.is(Kind::kDict)) fault("argument after ** must be a mapping, not " + type_name(mapping));
    for (const auto& [name, value] : mapping.dict().entries()) {
      if (!name.is_string()) fault("keywords must be strings");
      arguments.named.emplace_back(name.string(), value);
    }
  }
  return arguments;
}

Value Interpreter::value_of(const Call& node, const ScopePtr& scope) {
  const Value callee = evaluate(*node.callee, scope);
  return call(callee, evaluate_arguments(node.arguments, scope));
}

Value Interpreter::value_of(const FilterUse& node, const ScopePtr& scope) {
  const Value subject = node.subject ? evaluate(*node.subject, scope) : *block_text_;
  const int line = line_;
  Arguments arguments = evaluate_arguments(node.arguments, scope);
  line_ = line;
  return apply_filter(node.name, subject, std::move(arguments));
}

Value Interpreter::value_of(const TestUse& node, const ScopePtr& scope) {
  const Value subject = evaluate(*node.subject, scope);
  return apply_test(node.name, subject, evaluate_arguments(node.arguments, scope));
}

}  // namespace llm::jinja
