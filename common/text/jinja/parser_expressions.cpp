// Names, literals, calls, subscripts, filters and tests.
#include <algorithm>

#include "common/text/jinja/parser.h"

namespace llm::jinja {

// A filter behind "-x" takes all of it: -1|abs is 1.
ExpressionPtr Parser::parse_unary(bool with_filter) {
  const NestingGuard guard(nesting_, current().line);
  const int line = current().line;
  ExpressionPtr expression;
  if (current().is_operator("-") || current().is_operator("+")) {
    const Unary::Op op = next().text == "-" ? Unary::Op::kNegate : Unary::Op::kPosate;
    ExpressionPtr operand = parse_unary(false);
    const int deepest = depth(operand);
    expression = make(line, Unary{op, std::move(operand)}, deepest);
  } else {
    expression = parse_primary();
  }
  expression = parse_postfix(std::move(expression));
  return with_filter ? parse_filters_and_tests(std::move(expression)) : std::move(expression);
}

ExpressionPtr Parser::parse_postfix(ExpressionPtr expression) {
  while (true) {
    if (current().is_operator(".")) {
      expression = parse_attribute(std::move(expression));
    } else if (current().is_operator("[")) {
      expression = parse_subscript(std::move(expression));
    } else if (current().is_operator("(")) {
      expression = parse_call(std::move(expression));
    } else {
      return expression;
    }
  }
}

ExpressionPtr Parser::parse_filters_and_tests(ExpressionPtr expression) {
  while (true) {
    if (skip_operator("|")) {
      expression = parse_filter(std::move(expression));
    } else if (current().is_name("is")) {
      expression = parse_test(std::move(expression));
    } else if (current().is_operator("(")) {
      expression = parse_call(std::move(expression));
    } else {
      return expression;
    }
  }
}

ExpressionPtr Parser::parse_primary() {
  const int line = current().line;
  switch (current().type) {
    case LexemeType::kName: return parse_name();
    case LexemeType::kString: {
      std::string text = next().text;
      while (current().is(LexemeType::kString)) text += next().text;
      return make(line, Literal{Value(std::move(text))}, 0);
    }
    case LexemeType::kInteger: return make(line, Literal{Value(next().integer)}, 0);
    case LexemeType::kFloat: return make(line, Literal{Value(next().number)}, 0);
    default: break;
  }
  if (skip_operator("(")) {
    ExpressionPtr inner = parse_tuple(true, true);
    expect_operator(")");
    return inner;
  }
  if (current().is_operator("[")) return parse_list();
  if (current().is_operator("{")) return parse_dict();
  bad_lexeme("an expression");
}

ExpressionPtr Parser::parse_name() {
  const Lexeme lexeme = next();
  const std::string& name = lexeme.text;
  if (name == "true" || name == "True") return make(lexeme.line, Literal{Value(true)}, 0);
  if (name == "false" || name == "False") return make(lexeme.line, Literal{Value(false)}, 0);
  if (name == "none" || name == "None") return make(lexeme.line, Literal{Value()}, 0);
  for (MacroDefinition* macro : macros_) {
    macro->uses_caller |= name == "caller";
    macro->uses_varargs |= name == "varargs";
    macro->uses_kwargs |= name == "kwargs";
  }
  return make(lexeme.line, Name{name}, 0);
}

ExpressionPtr Parser::parse_list() {
  const int line = next().line;
  ListDisplay list{{}, false};
  while (!current().is_operator("]")) {
    list.items.push_back(parse_expression());
    if (!skip_operator(",")) break;
  }
  expect_operator("]");
  const int deepest = depth(list.items);
  return make(line, std::move(list), deepest);
}

ExpressionPtr Parser::parse_dict() {
  const int line = next().line;
  DictDisplay dict;
  int deepest = 0;
  while (!current().is_operator("}")) {
    ExpressionPtr key = parse_expression();
    expect_operator(":");
    ExpressionPtr value = parse_expression();
    deepest = std::max({deepest, depth(key), depth(value)});
    dict.entries.emplace_back(std::move(key), std::move(value));
    if (!skip_operator(",")) break;
  }
  expect_operator("}");
  return make(line, std::move(dict), deepest);
}

ExpressionPtr Parser::parse_attribute(ExpressionPtr object) {
  const int line = next().line;
  const int deepest = depth(object);
  if (current().is(LexemeType::kInteger)) {
    ExpressionPtr key = make(line, Literal{Value(next().integer)}, 0);
    return make(line, ItemAccess{std::move(object), std::move(key)}, deepest);
  }
  const std::string name = expect(LexemeType::kName, "a name or a number after '.'").text;
  return make(line, AttributeAccess{std::move(object), name}, deepest);
}

ExpressionPtr Parser::parse_subscript(ExpressionPtr object) {
  const int line = next().line;
  if (current().is_operator("]")) bad_lexeme("an index");
  ExpressionPtr first;
  if (!current().is_operator(":")) first = parse_expression();
  if (first && !current().is_operator(":")) {
    ListDisplay keys{{}, true};
    keys.items.push_back(std::move(first));
    while (skip_operator(",")) keys.items.push_back(parse_expression());
    expect_operator("]");
    int deepest = std::max(depth(object), depth(keys.items));
    ExpressionPtr key = std::move(keys.items[0]);
    if (keys.items.size() > 1) {
      keys.items[0] = std::move(key);
      key = make(line, std::move(keys), deepest++);
    }
    return make(line, ItemAccess{std::move(object), std::move(key)}, deepest);
  }
  SliceAccess slice{std::move(object), std::move(first), nullptr, nullptr};
  expect_operator(":");
  const auto at_part_end = [&] { return current().is_operator("]") || current().is_operator(":"); };
  if (!at_part_end()) slice.stop = parse_expression();
  if (skip_operator(":") && !at_part_end()) slice.step = parse_expression();
  expect_operator("]");
  const int deepest =
      std::max({depth(slice.object), depth(slice.start), depth(slice.stop), depth(slice.step)});
  return make(line, std::move(slice), deepest);
}

CallArguments Parser::parse_arguments() {
  CallArguments arguments;
  const auto ensure = [&](bool right) {
    if (!right) bad("arguments in a wrong order");
  };
  expect_operator("(");
  while (!current().is_operator(")")) {
    if (skip_operator("*")) {
      ensure(!arguments.star && !arguments.double_star);
      arguments.star = parse_expression();
    } else if (skip_operator("**")) {
      ensure(!arguments.double_star);
      arguments.double_star = parse_expression();
    } else if (current().is(LexemeType::kName) && ahead().is_operator("=")) {
      ensure(!arguments.double_star);
      std::string name = next().text;
      next();
      arguments.named.emplace_back(std::move(name), parse_expression());
    } else {
      ensure(!arguments.star && !arguments.double_star && arguments.named.empty());
      arguments.positional.push_back(parse_expression());
    }
    if (!skip_operator(",")) break;
  }
  expect_operator(")");
  return arguments;
}

ExpressionPtr Parser::parse_call(ExpressionPtr callee) {
  const int line = current().line;
  CallArguments arguments = parse_arguments();
  const int deepest = std::max(depth(callee), depth(arguments));
  return make(line, Call{std::move(callee), std::move(arguments)}, deepest);
}

ExpressionPtr Parser::parse_filter(ExpressionPtr subject) {
  const int line = current().line;
  FilterUse filter{std::move(subject), expect(LexemeType::kName, "the name of a filter").text, {}};
  if (current().is_operator("(")) filter.arguments = parse_arguments();
  const int deepest = std::max(depth(filter.subject), depth(filter.arguments));
  return make(line, std::move(filter), deepest);
}

// "x is name", "x is not name(...)", "x is name argument".
ExpressionPtr Parser::parse_test(ExpressionPtr subject) {
  const int line = next().line;
  const bool negated = skip_name("not");
  TestUse test{std::move(subject), expect(LexemeType::kName, "the name of a test").text, {}};
  const bool is_word = current().is_name("else") || current().is_name("or") || current().is_name("and");
  if (current().is_operator("(")) {
    test.arguments = parse_arguments();
  } else if (((current().is(LexemeType::kName) && !is_word) || current().is(LexemeType::kString) ||
              current().is(LexemeType::kInteger) || current().is(LexemeType::kFloat) ||
              current().is_operator("[") || current().is_operator("{"))) {
    if (current().is_name("is")) bad("tests cannot be chained with 'is'");
    const NestingGuard guard(nesting_, line);
    test.arguments.positional.push_back(parse_postfix(parse_primary()));
  }
  int deepest = std::max(depth(test.subject), depth(test.arguments));
  ExpressionPtr expression = make(line, std::move(test), deepest);
  if (!negated) return expression;
  deepest = depth(expression);
  return make(line, Unary{Unary::Op::kNot, std::move(expression)}, deepest);
}

}  // namespace llm::jinja
