// From lexemes to a tree, by recursive descent: one function for each level of precedence, as in Jinja's
// grammar.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/jinja/ast.h"
#include "common/text/jinja/lexer.h"

namespace llm::jinja {

class Parser {
 public:
  explicit Parser(std::string_view source) : lexemes_(tokenize(source)) {}

  // The whole template.
  Block parse();

 private:
  // The lexemes.
  const Lexeme& current() const { return lexemes_[at_]; }
  const Lexeme& ahead() const { return lexemes_[std::min(at_ + 1, lexemes_.size() - 1)]; }
  Lexeme next();
  bool skip_name(std::string_view name);
  bool skip_operator(std::string_view op);
  Lexeme expect(LexemeType type, const std::string& what);
  void expect_operator(std::string_view op);
  void expect_name(std::string_view name);
  [[noreturn]] void bad(const std::string& what) const;
  [[noreturn]] void bad_lexeme(const std::string& expected) const;

  // Statements (parser_statements.cpp).
  using EndTags = std::initializer_list<std::string_view>;
  Block parse_block(EndTags end_tags);               // up to one of these tags, which is then current
  Block parse_body(EndTags end_tags);                // "%}" and parse_block
  Block parse_whole_body(std::string_view end_tag);  // and past the end tag's name
  bool at_tag(EndTags tags) const;
  void parse_statement(Block& block);
  void parse_print(Block& block, int line);
  void parse_if(Block& block, int line);
  void parse_for(Block& block, int line);
  void parse_set(Block& block, int line);
  void parse_with(Block& block, int line);
  void parse_macro(Block& block, int line);
  void parse_call_block(Block& block, int line);
  void parse_filter_block(Block& block, int line);
  std::vector<Parameter> parse_parameters();
  Block parse_macro_body(MacroDefinition& macro, std::string_view end_tag);
  Target parse_target(bool is_set);
  Target parse_target_part(bool is_set);

  // Expressions by precedence (parser_operators.cpp), and what they are made of (parser_expressions.cpp).
  ExpressionPtr parse_tuple(bool with_conditional, bool in_parentheses, std::string_view end_name = {});
  ExpressionPtr parse_expression(bool with_conditional = true);
  ExpressionPtr parse_conditional();
  ExpressionPtr parse_or();
  ExpressionPtr parse_and();
  ExpressionPtr parse_not();
  ExpressionPtr parse_comparison();
  ExpressionPtr parse_sum();
  ExpressionPtr parse_concatenation();
  ExpressionPtr parse_product();
  ExpressionPtr parse_power();
  ExpressionPtr parse_unary(bool with_filter = true);
  ExpressionPtr parse_postfix(ExpressionPtr expression);
  ExpressionPtr parse_filters_and_tests(ExpressionPtr expression);
  ExpressionPtr parse_primary();
  ExpressionPtr parse_name();
  ExpressionPtr parse_list();
  ExpressionPtr parse_dict();
  ExpressionPtr parse_attribute(ExpressionPtr object);
  ExpressionPtr parse_subscript(ExpressionPtr object);
  ExpressionPtr parse_call(ExpressionPtr callee);
  ExpressionPtr parse_filter(ExpressionPtr subject);  // after the "|"
  ExpressionPtr parse_test(ExpressionPtr subject);
  CallArguments parse_arguments();
  bool at_tuple_end(std::string_view end_name) const;

  // A node; depth is checked, so that walking the tree cannot exhaust the stack.
  template <class Node>
  ExpressionPtr make(int line, Node node, int children_depth) const {
    check_depth(line, children_depth);
    return std::make_unique<const Expression>(Expression{line, children_depth + 1, std::move(node)});
  }
  void check_depth(int line, int children_depth) const;
  ExpressionPtr make_binary(int line, BinaryOp op, ExpressionPtr left, ExpressionPtr right) const;

  std::vector<Lexeme> lexemes_;
  std::size_t at_ = 0;
  int nesting_ = 0;                       // of what is being parsed
  std::vector<MacroDefinition*> macros_;  // those whose body is being parsed
};

// How deep the trees below are.
int depth(const ExpressionPtr& expression);
int depth(const std::vector<ExpressionPtr>& expressions);
int depth(const CallArguments& arguments);

// Counts how deeply the parser calls itself. Errors: kRange beyond kMaxNesting.
class NestingGuard {
 public:
  NestingGuard(int& nesting, int line);
  ~NestingGuard() { --nesting_; }
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;

 private:
  int& nesting_;
};

}  // namespace llm::jinja
