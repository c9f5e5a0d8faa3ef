// The statements of the interpreter.
#include "common/text/jinja/interpreter.h"
#include "common/text/jinja/objects.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja {
namespace {

ScopePtr inner_scope(const ScopePtr& scope) {
  auto inner = std::make_shared<Scope>();
  inner->parent = scope;
  return inner;
}

// Empties a loop when it is left, by an error too.
struct LoopFinisher {
  Loop& loop;
  ~LoopFinisher() { loop.finish(); }
};

}  // namespace

Interpreter::Flow Interpreter::execute(const Block& block, const ScopePtr& scope, std::string& out) {
  for (const Statement& statement : block) {
    const Flow flow = execute(statement, scope, out);
    if (flow != Flow::kNormal) return flow;
  }
  return Flow::kNormal;
}

Interpreter::Flow Interpreter::execute(const Statement& statement, const ScopePtr& scope, std::string& out) {
  const DepthGuard guard(depth_);
  budget_.step();
  line_ = statement.line;
  return std::visit([&](const auto& node) { return run(node, scope, out); }, statement.node);
}

Value Interpreter::evaluate(const Expression& expression, const ScopePtr& scope) {
  const DepthGuard guard(depth_);
  budget_.step();
  line_ = expression.line;
  return std::visit([&](const auto& node) { return value_of(node, scope); }, expression.node);
}

Interpreter::Flow Interpreter::run(const Text& node, const ScopePtr&, std::string& out) {
  print(node.text, out);
  return Flow::kNormal;
}

Interpreter::Flow Interpreter::run(const Output& node, const ScopePtr& scope, std::string& out) {
  for (const ExpressionPtr& expression : node.expressions) {
    const Value value = evaluate(*expression, scope);
    print(value.is_string() ? value.string() : to_text(value, budget_), out);
  }
  return Flow::kNormal;
}

// The branches share the scope around them: what is set inside stays set.
Interpreter::Flow Interpreter::run(const If& node, const ScopePtr& scope, std::string& out) {
  for (const auto& [test, body] : node.branches) {
    if (truth(evaluate(*test, scope))) return execute(body, scope, out);
  }
  return execute(node.otherwise, scope, out);
}

Interpreter::Flow Interpreter::run(const For& node, const ScopePtr& scope, std::string& out) {
  const Value iterable = evaluate(*node.iterable, scope);
  if (node.recursive) {
    print(render_loop(node, iterable, scope, 0), out);
    return Flow::kNormal;
  }
  return loop_over(node, iterable, scope, 0, out);
}

std::string Interpreter::render_loop(const For& loop, const Value& iterable, const ScopePtr& scope,
                                     Index depth) {
  std::string out;
  loop_over(loop, iterable, scope, depth, out);
  return out;
}

// The items for which the condition behind `if` holds. It is looked at when an item is asked for, not before.
Next Interpreter::filtered(const For& loop, Next items, const ScopePtr& scope) {
  return [this, &loop, items = std::move(items), scope]() -> std::optional<Value> {
    while (std::optional<Value> item = items()) {
      const ScopePtr inner = inner_scope(scope);
      assign(loop.target, *item, *inner);
      if (truth(evaluate(*loop.filter, inner))) return item;
    }
    return std::nullopt;
  };
}

// Each round has a scope of its own, so that what it sets is gone in the next.
Interpreter::Flow Interpreter::loop_over(const For& loop, const Value& iterable, const ScopePtr& scope,
                                         Index depth, std::string& out) {
  Next items = iterate(iterable, budget_);
  std::optional<Index> size;
  if (loop.filter) {
    items = filtered(loop, std::move(items), scope);
  } else {
    size = length(iterable);
  }
  if (loop.filter || loop.recursive) closures_.push_back(scope);
  const auto state = std::make_shared<Loop>(loop, std::move(items), size, scope, depth);
  const LoopFinisher finisher{*state};
  const Value loop_value{std::shared_ptr<Object>(state)};
  // As in Jinja, `else` also runs when no round came to its end.
  bool completed_a_round = false;
  while (std::optional<Value> item = state->advance()) {
    const ScopePtr inner = inner_scope(scope);
    inner->set("loop", loop_value);
    assign(loop.target, std::move(*item), *inner);
    const Flow flow = execute(loop.body, inner, out);
    if (flow == Flow::kBreak) break;
    completed_a_round |= flow == Flow::kNormal;
  }
  if (completed_a_round || loop.otherwise.empty()) return Flow::kNormal;
  return execute(loop.otherwise, inner_scope(scope), out);
}

Interpreter::Flow Interpreter::run(const Set& node, const ScopePtr& scope, std::string&) {
  assign(node.target, evaluate(*node.value, scope), *scope);
  return Flow::kNormal;
}

// Renders a body, and applies the filters, whose innermost subject is that text.
Interpreter::Flow Interpreter::run_filtered_block(const Block& body, const Expression* filter,
                                                  const ScopePtr& scope, Value& result) {
  const ScopePtr inner = inner_scope(scope);
  std::string text;
  const Flow flow = execute(body, inner, text);
  if (flow != Flow::kNormal) return flow;
  result = Value(std::move(text));
  if (filter != nullptr) {
    const Value subject = result;
    const Value* outer = std::exchange(block_text_, &subject);
    result = evaluate(*filter, inner);
    block_text_ = outer;
  }
  return flow;
}

Interpreter::Flow Interpreter::run(const SetBlock& node, const ScopePtr& scope, std::string&) {
  Value value;
  const Flow flow = run_filtered_block(node.body, node.filter.get(), scope, value);
  if (flow == Flow::kNormal) assign(node.target, std::move(value), *scope);
  return flow;
}

Interpreter::Flow Interpreter::run(const FilterBlock& node, const ScopePtr& scope, std::string& out) {
  Value value;
  const Flow flow = run_filtered_block(node.body, node.filter.get(), scope, value);
  if (flow == Flow::kNormal) print(to_text(value, budget_), out);
  return flow;
}

Interpreter::Flow Interpreter::run(const MacroDefinition& node, const ScopePtr& scope, std::string&) {
  scope->set(node.name, make_macro(node, scope));
  return Flow::kNormal;
}

Interpreter::Flow Interpreter::run(const With& node, const ScopePtr& scope, std::string& out) {
  const ScopePtr inner = inner_scope(scope);
  for (const auto& [target, expression] : node.assignments)
    assign(target, evaluate(*expression, scope), *inner);
  return execute(node.body, inner, out);
}

Interpreter::Flow Interpreter::run(const CallBlock& node, const ScopePtr& scope, std::string& out) {
  const Call& call_node = std::get<Call>(node.call->node);
  const Value callee = evaluate(*call_node.callee, scope);
  Arguments arguments = evaluate_arguments(call_node.arguments, scope);
  arguments.named.emplace_back("caller", make_macro(node.caller, scope));
  print(to_text(call(callee, std::move(arguments)), budget_), out);
  return Flow::kNormal;
}

Interpreter::Flow Interpreter::run(const Generation& node, const ScopePtr& scope, std::string& out) {
  print(render_block(node.body, inner_scope(scope)), out);
  return Flow::kNormal;
}

Interpreter::Flow Interpreter::run(const LoopExit& node, const ScopePtr&, std::string&) {
  return node.is_break ? Flow::kBreak : Flow::kContinue;
}

}  // namespace llm::jinja
