// Runs a parsed template: walks its tree, with the variables in scopes, and collects what it prints.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/text/jinja/ast.h"
#include "common/text/jinja/value.h"

namespace llm::jinja {

// The variables of one block. A name that is not here is looked for in the parent.
struct Scope {
  std::shared_ptr<Scope> parent;
  std::vector<std::pair<std::string, Value>> variables;

  const Value* find(const std::string& name) const;
  void set(const std::string& name, Value value);
};
using ScopePtr = std::shared_ptr<Scope>;

// The object that a template changes: namespace().
class Namespace : public Object {
 public:
  std::string type_name() const override { return "Namespace"; }
  std::string repr(Budget& budget) const override;
  std::optional<Value> attribute(Interpreter&, const std::string& name) override;

  Dict attributes;
};

// Counts how deep evaluations stand in each other, so that they cannot exhaust the stack.
class DepthGuard {
 public:
  // weight: how many levels this one stands for, by the stack that it takes.
  explicit DepthGuard(int& depth, int weight = 1) : depth_(depth), weight_(weight) {
    depth_ += weight_;
    if (depth_ <= kMaxDepth) return;
    depth_ -= weight_;
    fault("the template calls itself too deeply", ErrorCode::kRange);
  }
  ~DepthGuard() { depth_ -= weight_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  int& depth_;
  int weight_;
};

// One rendering. Not for use by two threads at once.
class Interpreter {
 public:
  // now: what strftime_now() says the time is.
  explicit Interpreter(const std::tm& now) : now_(now) {}
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // The text of the template with these variables. Errors: Fault.
  std::string render(const Block& block, const Dict& variables);

  // The line of the template that is being worked on.
  int line() const { return line_; }
  Budget& budget() { return budget_; }
  const std::tm& now() const { return now_; }

  // object.name, object[key], callee(...) by the rules of Jinja's sandbox: what is missing is undefined.
  Value get_attribute(const Value& object, const std::string& name);
  Value get_item(const Value& object, const Value& key);
  Value call(const Value& callee, Arguments arguments);
  Value apply_filter(const std::string& name, const Value& subject, Arguments arguments);
  Value apply_test(const std::string& name, const Value& subject, Arguments arguments);

  // For the objects of the language.
  std::string render_block(const Block& block, const ScopePtr& scope);
  std::string render_loop(const For& loop, const Value& iterable, const ScopePtr& scope, Index depth);
  Value evaluate(const Expression& expression, const ScopePtr& scope);
  void assign(const Target& target, Value value, Scope& scope);
  std::shared_ptr<Namespace> make_namespace();

 private:
  enum class Flow { kNormal, kBreak, kContinue };

  Flow execute(const Block& block, const ScopePtr& scope, std::string& out);
  Flow execute(const Statement& statement, const ScopePtr& scope, std::string& out);
  Flow run(const Text& node, const ScopePtr& scope, std::string& out);
  Flow run(const Output& node, const ScopePtr& scope, std::string& out);
  Flow run(const If& node, const ScopePtr& scope, std::string& out);
  Flow run(const For& node, const ScopePtr& scope, std::string& out);
  Flow run(const Set& node, const ScopePtr& scope, std::string& out);
  Flow run(const SetBlock& node, const ScopePtr& scope, std::string& out);
  Flow run(const MacroDefinition& node, const ScopePtr& scope, std::string& out);
  Flow run(const With& node, const ScopePtr& scope, std::string& out);
  Flow run(const FilterBlock& node, const ScopePtr& scope, std::string& out);
  Flow run(const CallBlock& node, const ScopePtr& scope, std::string& out);
  Flow run(const Generation& node, const ScopePtr& scope, std::string& out);
  Flow run(const LoopExit& node, const ScopePtr& scope, std::string& out);
  Flow loop_over(const For& loop, const Value& iterable, const ScopePtr& scope, Index depth,
                 std::string& out);
  Next filtered(const For& loop, Next items, const ScopePtr& scope);
  Flow run_filtered_block(const Block& body, const Expression* filter, const ScopePtr& scope, Value& result);

  Value value_of(const Literal& node, const ScopePtr& scope);
  Value value_of(const Name& node, const ScopePtr& scope);
  Value value_of(const ListDisplay& node, const ScopePtr& scope);
  Value value_of(const DictDisplay& node, const ScopePtr& scope);
  Value value_of(const Unary& node, const ScopePtr& scope);
  Value value_of(const Binary& node, const ScopePtr& scope);
  Value value_of(const Logical& node, const ScopePtr& scope);
  Value value_of(const Comparison& node, const ScopePtr& scope);
  Value value_of(const Concatenation& node, const ScopePtr& scope);
  Value value_of(const Conditional& node, const ScopePtr& scope);
  Value value_of(const AttributeAccess& node, const ScopePtr& scope);
  Value value_of(const ItemAccess& node, const ScopePtr& scope);
  Value value_of(const SliceAccess& node, const ScopePtr& scope);
  Value value_of(const Call& node, const ScopePtr& scope);
  Value value_of(const FilterUse& node, const ScopePtr& scope);
  Value value_of(const TestUse& node, const ScopePtr& scope);
  Value value_or_none(const ExpressionPtr& expression, const ScopePtr& scope);
  Arguments evaluate_arguments(const CallArguments& arguments, const ScopePtr& scope);

  void print(const std::string& text, std::string& out);
  Value make_macro(const MacroDefinition& definition, const ScopePtr& scope);

  std::tm now_;
  Budget budget_;
  int line_ = 1;
  int depth_ = 0;
  const Value* block_text_ = nullptr;  // what the filters of {% filter %} and {% set x | f %} start from
  // What may hold itself through a macro or an attribute, to be emptied at the end.
  std::vector<ScopePtr> closures_;
  std::vector<std::shared_ptr<Namespace>> namespaces_;
};

// range, namespace, dict, ...: what every template finds.
void add_globals(Scope& scope);

}  // namespace llm::jinja
