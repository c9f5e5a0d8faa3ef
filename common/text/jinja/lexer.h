// Cuts a template into text and the words of the language, and takes out the white space that tags ask to be
// taken out. Set as transformers sets Jinja2: trim_blocks and lstrip_blocks on, no trailing newline kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/types.h"

namespace llm::jinja {

enum class LexemeType {
  kText,         // between the tags
  kOutputBegin,  // {{
  kOutputEnd,    // }}
  kBlockBegin,   // {%
  kBlockEnd,     // %}
  kName,
  kString,  // text: its value, escapes resolved
  kInteger,
  kFloat,
  kOperator,  // text: the operator itself
  kEnd,
};

struct Lexeme {
  LexemeType type = LexemeType::kEnd;
  std::string text;
  Index integer = 0;
  double number = 0;
  int line = 1;

  bool is(LexemeType wanted) const { return type == wanted; }
  bool is_operator(std::string_view wanted) const { return type == LexemeType::kOperator && text == wanted; }
  bool is_name(std::string_view wanted) const { return type == LexemeType::kName && text == wanted; }
};

// The last lexeme is kEnd. Errors: kFormat with the line.
std::vector<Lexeme> tokenize(std::string_view source);

// Where in the template a mistake was found: "chat template, line 7".
std::string template_line(int line);

}  // namespace llm::jinja
