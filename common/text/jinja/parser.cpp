// Going through the lexemes, and what is said when one is not what was expected.
#include "common/text/jinja/parser.h"

#include "common/base/error.h"

namespace llm::jinja {
namespace {

std::string describe(const Lexeme& lexeme) {
  switch (lexeme.type) {
    case LexemeType::kText: return "text";
    case LexemeType::kOutputBegin: return "'{{'";
    case LexemeType::kOutputEnd: return "'}}'";
    case LexemeType::kBlockBegin: return "'{%'";
    case LexemeType::kBlockEnd: return "'%}'";
    case LexemeType::kString: return "a string";
    case LexemeType::kInteger:
    case LexemeType::kFloat: return "a number";
    case LexemeType::kEnd: return "the end of the template";
    default: return "'" + lexeme.text + "'";
  }
}

}  // namespace

NestingGuard::NestingGuard(int& nesting, int line) : nesting_(nesting) {
  if (++nesting_ > kMaxNesting) {
    --nesting_;
    fail(ErrorCode::kRange, {.where = template_line(line), .what = "the template is nested too deeply"});
  }
}

Lexeme Parser::next() {
  Lexeme lexeme = lexemes_[at_];
  if (at_ + 1 < lexemes_.size()) ++at_;
  return lexeme;
}

bool Parser::skip_name(std::string_view name) {
  if (!current().is_name(name)) return false;
  next();
  return true;
}

bool Parser::skip_operator(std::string_view op) {
  if (!current().is_operator(op)) return false;
  next();
  return true;
}

Lexeme Parser::expect(LexemeType type, const std::string& what) {
  if (!current().is(type)) bad_lexeme(what);
  return next();
}

void Parser::expect_operator(std::string_view op) {
  if (!skip_operator(op)) bad_lexeme("'" + std::string(op) + "'");
}

void Parser::expect_name(std::string_view name) {
  if (!skip_name(name)) bad_lexeme("'" + std::string(name) + "'");
}

void Parser::bad(const std::string& what) const {
  fail(ErrorCode::kFormat, {.where = template_line(current().line), .what = what, .remedy = kOtherTemplates});
}

void Parser::bad_lexeme(const std::string& expected) const {
  fail(ErrorCode::kFormat, {.where = template_line(current().line),
                            .what = "found",
                            .got = describe(current()),
                            .expected = expected,
                            .remedy = kOtherTemplates});
}

Block Parser::parse() { return parse_block({}); }

Block parse_template(std::string_view source) { return Parser(source).parse(); }

}  // namespace llm::jinja
