#include <algorithm>
#include <array>

#include "common/base/error.h"
#include "common/text/jinja/parser.h"

namespace llm::jinja {
namespace {

// Tags that Jinja knows and chat templates have no use for.
constexpr std::array kUnsupportedTags = {"block", "extends", "include", "import", "from", "autoescape"};

}  // namespace

bool Parser::at_tag(EndTags tags) const {
  return std::any_of(tags.begin(), tags.end(), [&](std::string_view tag) { return current().is_name(tag); });
}

Block Parser::parse_block(EndTags end_tags) {
  const NestingGuard guard(nesting_, current().line);
  Block block;
  while (true) {
    const int line = current().line;
    if (current().is(LexemeType::kText)) {
      block.push_back({line, Text{next().text}});
    } else if (current().is(LexemeType::kOutputBegin)) {
      next();
      Output output;
      output.expressions.push_back(parse_tuple(true, false));
      expect(LexemeType::kOutputEnd, "'}}'");
      block.push_back({line, std::move(output)});
    } else if (current().is(LexemeType::kBlockBegin)) {
      next();
      if (at_tag(end_tags)) return block;
      parse_statement(block);
      expect(LexemeType::kBlockEnd, "'%}'");
    } else {
      if (end_tags.size() > 0) bad_lexeme("{% " + std::string(*(end_tags.end() - 1)) + " %}");
      return block;
    }
  }
}

Block Parser::parse_body(EndTags end_tags) {
  skip_operator(":");
  expect(LexemeType::kBlockEnd, "'%}'");
  return parse_block(end_tags);
}

Block Parser::parse_whole_body(std::string_view end_tag) {
  Block body = parse_body({end_tag});
  next();
  return body;
}

void Parser::parse_statement(Block& block) {
  using Parse = void (Parser::*)(Block&, int);
  static constexpr std::array<std::pair<std::string_view, Parse>, 8> kTags = {{
      {"print", &Parser::parse_print},
      {"if", &Parser::parse_if},
      {"for", &Parser::parse_for},
      {"set", &Parser::parse_set},
      {"with", &Parser::parse_with},
      {"macro", &Parser::parse_macro},
      {"call", &Parser::parse_call_block},
      {"filter", &Parser::parse_filter_block},
  }};
  const int line = current().line;
  if (!current().is(LexemeType::kName)) bad_lexeme("the name of a tag");
  const std::string tag = current().text;
  const auto known =
      std::find_if(kTags.begin(), kTags.end(), [&](const auto& entry) { return entry.first == tag; });
  if (known != kTags.end()) {
    next();
    (this->*known->second)(block, line);
  } else if (tag == "break" || tag == "continue") {
    next();
    block.push_back({line, LoopExit{tag == "break"}});
  } else if (tag == "generation") {
    next();
    block.push_back({line, Generation{parse_whole_body("endgeneration")}});
  } else if (std::find(kUnsupportedTags.begin(), kUnsupportedTags.end(), tag) != kUnsupportedTags.end()) {
    fail(ErrorCode::kUnsupported, {.where = template_line(line),
                                   .what = "the tag {% " + tag + " %} is not supported",
                                   .remedy = kOtherTemplates});
  } else {
    bad("unknown tag {% " + tag + " %}");
  }
}

void Parser::parse_print(Block& block, int line) {
  Output output;
  while (!current().is(LexemeType::kBlockEnd)) {
    if (!output.expressions.empty()) expect_operator(",");
    output.expressions.push_back(parse_expression());
  }
  block.push_back({line, std::move(output)});
}

void Parser::parse_if(Block& block, int line) {
  If node;
  while (true) {
    ExpressionPtr test = parse_tuple(false, false);
    node.branches.emplace_back(std::move(test), parse_body({"elif", "else", "endif"}));
    if (skip_name("elif")) continue;
    if (skip_name("else")) {
      node.otherwise = parse_whole_body("endif");
    } else {
      expect_name("endif");
    }
    break;
  }
  block.push_back({line, std::move(node)});
}

void Parser::parse_for(Block& block, int line) {
  For node;
  node.target = parse_target(false);
  expect_name("in");
  node.iterable = parse_tuple(false, false, "recursive");
  if (skip_name("if")) node.filter = parse_expression();
  node.recursive = skip_name("recursive");
  node.body = parse_body({"else", "endfor"});
  if (skip_name("else")) {
    node.otherwise = parse_whole_body("endfor");
  } else {
    expect_name("endfor");
  }
  block.push_back({line, std::move(node)});
}

void Parser::parse_set(Block& block, int line) {
  Target target = parse_target(true);
  if (skip_operator("=")) {
    block.push_back({line, Set{std::move(target), parse_tuple(true, false)}});
    return;
  }
  ExpressionPtr filter;
  while (skip_operator("|")) filter = parse_filter(std::move(filter));
  block.push_back({line, SetBlock{std::move(target), std::move(filter), parse_whole_body("endset")}});
}

void Parser::parse_with(Block& block, int line) {
  With node;
  while (!current().is(LexemeType::kBlockEnd)) {
    if (!node.assignments.empty()) expect_operator(",");
    Target target = parse_target(false);
    expect_operator("=");
    node.assignments.emplace_back(std::move(target), parse_expression());
  }
  node.body = parse_whole_body("endwith");
  block.push_back({line, std::move(node)});
}

std::vector<Parameter> Parser::parse_parameters() {
  std::vector<Parameter> parameters;
  expect_operator("(");
  while (!current().is_operator(")")) {
    if (!parameters.empty()) expect_operator(",");
    Parameter parameter{expect(LexemeType::kName, "the name of a parameter").text, nullptr};
    if (skip_operator("=")) {
      parameter.default_value = parse_expression();
    } else if (!parameters.empty() && parameters.back().default_value) {
      bad("a parameter without a default follows one with a default");
    }
    parameters.push_back(std::move(parameter));
  }
  next();
  return parameters;
}

Block Parser::parse_macro_body(MacroDefinition& macro, std::string_view end_tag) {
  macros_.push_back(&macro);
  Block body = parse_whole_body(end_tag);
  macros_.pop_back();
  return body;
}

void Parser::parse_macro(Block& block, int line) {
  MacroDefinition macro;
  macro.name = expect(LexemeType::kName, "the name of a macro").text;
  macro.parameters = parse_parameters();
  macro.body = parse_macro_body(macro, "endmacro");
  block.push_back({line, std::move(macro)});
}

void Parser::parse_call_block(Block& block, int line) {
  CallBlock node;
  if (current().is_operator("(")) node.caller.parameters = parse_parameters();
  node.caller.name = "caller";
  node.call = parse_expression();
  if (!std::holds_alternative<Call>(node.call->node)) bad("{% call %} wants a call");
  node.caller.body = parse_macro_body(node.caller, "endcall");
  block.push_back({line, std::move(node)});
}

void Parser::parse_filter_block(Block& block, int line) {
  ExpressionPtr filter = parse_filter(nullptr);
  while (skip_operator("|")) filter = parse_filter(std::move(filter));
  Block body = parse_whole_body("endfilter");
  block.push_back({line, FilterBlock{std::move(filter), std::move(body)}});
}

Target Parser::parse_target_part(bool is_set) {
  const NestingGuard guard(nesting_, current().line);
  if (skip_operator("(")) {
    Target target = parse_target(is_set);
    expect_operator(")");
    return target;
  }
  Target target;
  target.line = current().line;
  target.name = expect(LexemeType::kName, "a name to assign to").text;
  static constexpr std::array kConstants = {"true", "false", "none", "True", "False", "None"};
  if (std::find(kConstants.begin(), kConstants.end(), target.name) != kConstants.end()) {
    bad("cannot assign to '" + target.name + "'");
  }
  if (!is_set && target.name == "loop") bad("cannot assign to 'loop' in a for loop");
  if (is_set && skip_operator("."))
    target.attribute = expect(LexemeType::kName, "the name of an attribute").text;
  return target;
}

Target Parser::parse_target(bool is_set) {
  Target first = parse_target_part(is_set);
  if (!current().is_operator(",")) return first;
  Target tuple;
  tuple.line = first.line;
  tuple.parts.push_back(std::move(first));
  while (skip_operator(",")) {
    if (!current().is(LexemeType::kName) && !current().is_operator("(")) break;
    if (current().is_name("in")) break;
    tuple.parts.push_back(parse_target_part(is_set));
  }
  return tuple;
}

}  // namespace llm::jinja
