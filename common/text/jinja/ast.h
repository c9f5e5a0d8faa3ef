// A parsed template: expressions and statements.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/text/jinja/operators.h"
#include "common/text/jinja/value.h"

namespace llm::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<const Expression>;

struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
  ExpressionPtr star;         // f(*args)
  ExpressionPtr double_star;  // f(**kwargs)
};

struct Literal {
  Value value;
};
struct Name {
  std::string name;
};
struct ListDisplay {  // [a, b] and (a, b)
  std::vector<ExpressionPtr> items;
  bool is_tuple;
};
struct DictDisplay {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> entries;
};
struct Unary {
  enum class Op { kNegate, kPosate, kNot } op;
  ExpressionPtr operand;
};
struct Binary {
  BinaryOp op;
  ExpressionPtr left;
  ExpressionPtr right;
};
struct Logical {  // and, or: one of the operands is the result
  bool is_and;
  ExpressionPtr left;
  ExpressionPtr right;
};
struct Comparison {  // a < b <= c
  ExpressionPtr first;
  std::vector<std::pair<CompareOp, ExpressionPtr>> rest;
};
struct Concatenation {  // a ~ b ~ c
  std::vector<ExpressionPtr> parts;
};
struct Conditional {  // a if test else b
  ExpressionPtr test;
  ExpressionPtr then;
  ExpressionPtr otherwise;  // may be null
};
struct AttributeAccess {  // object.name
  ExpressionPtr object;
  std::string name;
};
struct ItemAccess {  // object[key]
  ExpressionPtr object;
  ExpressionPtr key;
};
struct SliceAccess {  // object[start:stop:step]; each may be null
  ExpressionPtr object;
  ExpressionPtr start;
  ExpressionPtr stop;
  ExpressionPtr step;
};
struct Call {
  ExpressionPtr callee;
  CallArguments arguments;
};
struct FilterUse {        // subject | name(...)
  ExpressionPtr subject;  // null for the body of a block
  std::string name;
  CallArguments arguments;
};
struct TestUse {  // subject is name ...
  ExpressionPtr subject;
  std::string name;
  CallArguments arguments;
};

struct Expression {
  int line;
  int depth;  // of the tree below
  std::variant<Literal, Name, ListDisplay, DictDisplay, Unary, Binary, Logical, Comparison, Concatenation,
               Conditional, AttributeAccess, ItemAccess, SliceAccess, Call, FilterUse, TestUse>
      node;
};

// What can be assigned to: a name, an attribute of a namespace, or a tuple of such.
struct Target {
  int line = 1;
  std::string name;                      // empty for a tuple
  std::optional<std::string> attribute;  // of the namespace `name`
  std::vector<Target> parts;
};

struct Statement;
using Block = std::vector<Statement>;

struct Parameter {
  std::string name;
  ExpressionPtr default_value;  // may be null
};

// A macro, or the body of a call block.
struct MacroDefinition {
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  bool uses_caller = false;
  bool uses_varargs = false;
  bool uses_kwargs = false;
};

struct Text {
  std::string text;
};
struct Output {  // {{ ... }}
  std::vector<ExpressionPtr> expressions;
};
struct If {
  std::vector<std::pair<ExpressionPtr, Block>> branches;
  Block otherwise;
};
struct For {
  Target target;
  ExpressionPtr iterable;
  ExpressionPtr filter;  // `if` behind the iterable; may be null
  bool recursive = false;
  Block body;
  Block otherwise;
};
struct Set {
  Target target;
  ExpressionPtr value;
};
struct SetBlock {
  Target target;
  ExpressionPtr filter;  // may be null
  Block body;
};
struct With {
  std::vector<std::pair<Target, ExpressionPtr>> assignments;
  Block body;
};
struct FilterBlock {
  ExpressionPtr filter;
  Block body;
};
struct CallBlock {
  ExpressionPtr call;
  MacroDefinition caller;
};
struct Generation {  // {% generation %}: marks what the model says; rendered as it is
  Block body;
};
struct LoopExit {
  bool is_break;
};

struct Statement {
  int line;
  std::variant<Text, Output, If, For, Set, SetBlock, MacroDefinition, With, FilterBlock, CallBlock,
               Generation, LoopExit>
      node;
};

// Parses a template. Errors: kFormat for a mistake and kUnsupported for a construct of Jinja that is not
// supported, both with the line; kRange when it is nested too deeply.
Block parse_template(std::string_view source);

}  // namespace llm::jinja
