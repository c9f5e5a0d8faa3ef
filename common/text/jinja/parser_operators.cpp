// Operators, from the weakest to the strongest.
#include <algorithm>
#include <array>

#include "common/base/error.h"
#include "common/text/jinja/parser.h"

namespace llm::jinja {
namespace {

constexpr int kMaxExpressionDepth = 500;

}  // namespace

int depth(const ExpressionPtr& expression) { return expression ? expression->depth : 0; }

int depth(const std::vector<ExpressionPtr>& expressions) {
  int deepest = 0;
  for (const ExpressionPtr& expression : expressions) deepest = std::max(deepest, depth(expression));
  return deepest;
}

int depth(const CallArguments& arguments) {
  int deepest = std::max({depth(arguments.positional), depth(arguments.star), depth(arguments.double_star)});
  for (const auto& [name, value] : arguments.named) deepest = std::max(deepest, depth(value));
  return deepest;
}

void Parser::check_depth(int line, int children_depth) const {
  if (children_depth < kMaxExpressionDepth) return;
  fail(ErrorCode::kRange, {.where = template_line(line), .what = "an expression is nested too deeply"});
}

ExpressionPtr Parser::make_binary(int line, BinaryOp op, ExpressionPtr left, ExpressionPtr right) const {
  const int deepest = std::max(depth(left), depth(right));
  return make(line, Binary{op, std::move(left), std::move(right)}, deepest);
}

bool Parser::at_tuple_end(std::string_view end_name) const {
  return current().is(LexemeType::kOutputEnd) || current().is(LexemeType::kBlockEnd) ||
         current().is_operator(")") || (!end_name.empty() && current().is_name(end_name));
}

// One expression, or several with commas between: a tuple.
ExpressionPtr Parser::parse_tuple(bool with_conditional, bool in_parentheses, std::string_view end_name) {
  const int line = current().line;
  ListDisplay tuple{{}, true};
  bool is_tuple = false;
  while (!at_tuple_end(end_name)) {
    tuple.items.push_back(parse_expression(with_conditional));
    if (!skip_operator(",")) break;
    is_tuple = true;
  }
  if (!is_tuple && !tuple.items.empty()) return std::move(tuple.items[0]);
  if (!is_tuple && !in_parentheses) bad_lexeme("an expression");
  const int deepest = depth(tuple.items);
  return make(line, std::move(tuple), deepest);
}

ExpressionPtr Parser::parse_expression(bool with_conditional) {
  const NestingGuard guard(nesting_, current().line);
  return with_conditional ? parse_conditional() : parse_or();
}

ExpressionPtr Parser::parse_conditional() {
  int line = current().line;
  ExpressionPtr expression = parse_or();
  while (skip_name("if")) {
    ExpressionPtr test = parse_or();
    ExpressionPtr otherwise;
    if (skip_name("else")) {
      const NestingGuard guard(nesting_, line);
      otherwise = parse_conditional();
    }
    const int deepest = std::max({depth(test), depth(expression), depth(otherwise)});
    expression =
        make(line, Conditional{std::move(test), std::move(expression), std::move(otherwise)}, deepest);
    line = current().line;
  }
  return expression;
}

ExpressionPtr Parser::parse_or() {
  const int line = current().line;
  ExpressionPtr left = parse_and();
  while (skip_name("or")) {
    ExpressionPtr right = parse_and();
    const int deepest = std::max(depth(left), depth(right));
    left = make(line, Logical{false, std::move(left), std::move(right)}, deepest);
  }
  return left;
}

ExpressionPtr Parser::parse_and() {
  const int line = current().line;
  ExpressionPtr left = parse_not();
  while (skip_name("and")) {
    ExpressionPtr right = parse_not();
    const int deepest = std::max(depth(left), depth(right));
    left = make(line, Logical{true, std::move(left), std::move(right)}, deepest);
  }
  return left;
}

ExpressionPtr Parser::parse_not() {
  if (!current().is_name("not")) return parse_comparison();
  const NestingGuard guard(nesting_, current().line);
  const int line = next().line;
  ExpressionPtr operand = parse_not();
  const int deepest = depth(operand);
  return make(line, Unary{Unary::Op::kNot, std::move(operand)}, deepest);
}

ExpressionPtr Parser::parse_comparison() {
  static constexpr std::array<std::pair<std::string_view, CompareOp>, 6> kOperators = {
      {{"==", CompareOp::kEqual},
       {"!=", CompareOp::kNotEqual},
       {"<", CompareOp::kLess},
       {"<=", CompareOp::kLessEqual},
       {">", CompareOp::kGreater},
       {">=", CompareOp::kGreaterEqual}}};
  const int line = current().line;
  Comparison comparison{parse_sum(), {}};
  int deepest = depth(comparison.first);
  while (true) {
    const auto known = std::find_if(kOperators.begin(), kOperators.end(),
                                    [&](const auto& entry) { return current().is_operator(entry.first); });
    CompareOp op = CompareOp::kIn;
    if (known != kOperators.end()) {
      op = known->second;
      next();
    } else if (current().is_name("not") && ahead().is_name("in")) {
      op = CompareOp::kNotIn;
      next();
      next();
    } else if (!skip_name("in")) {
      break;
    }
    comparison.rest.emplace_back(op, parse_sum());
    deepest = std::max(deepest, depth(comparison.rest.back().second));
  }
  if (comparison.rest.empty()) return std::move(comparison.first);
  return make(line, std::move(comparison), deepest);
}

ExpressionPtr Parser::parse_sum() {
  const int line = current().line;
  ExpressionPtr left = parse_concatenation();
  while (current().is_operator("+") || current().is_operator("-")) {
    const BinaryOp op = next().text == "+" ? BinaryOp::kAdd : BinaryOp::kSubtract;
    ExpressionPtr right = parse_concatenation();
    left = make_binary(line, op, std::move(left), std::move(right));
  }
  return left;
}

ExpressionPtr Parser::parse_concatenation() {
  const int line = current().line;
  Concatenation node;
  do {
    node.parts.push_back(parse_product());
  } while (skip_operator("~"));
  if (node.parts.size() == 1) return std::move(node.parts[0]);
  const int deepest = depth(node.parts);
  return make(line, std::move(node), deepest);
}

ExpressionPtr Parser::parse_product() {
  static constexpr std::array<std::pair<std::string_view, BinaryOp>, 4> kOperators = {
      {{"*", BinaryOp::kMultiply},
       {"/", BinaryOp::kDivide},
       {"//", BinaryOp::kFloorDivide},
       {"%", BinaryOp::kModulo}}};
  const int line = current().line;
  ExpressionPtr left = parse_power();
  while (true) {
    const auto known = std::find_if(kOperators.begin(), kOperators.end(),
                                    [&](const auto& entry) { return current().is_operator(entry.first); });
    if (known == kOperators.end()) return left;
    next();
    ExpressionPtr right = parse_power();
    left = make_binary(line, known->second, std::move(left), std::move(right));
  }
}

// Left to right, unlike Python: 2 ** 3 ** 2 is 64.
ExpressionPtr Parser::parse_power() {
  const int line = current().line;
  ExpressionPtr left = parse_unary();
  while (skip_operator("**")) {
    ExpressionPtr right = parse_unary();
    left = make_binary(line, BinaryOp::kPower, std::move(left), std::move(right));
  }
  return left;
}

}  // namespace llm::jinja
