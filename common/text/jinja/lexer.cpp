#include "common/text/jinja/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "common/base/error.h"
#include "common/text/jinja/literals.h"
#include "common/text/jinja/strings.h"

namespace llm::jinja {
namespace {

// Line ends become "\n", and one at the very end goes.
std::string normalized(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      text += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      text += source[i];
    }
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit_char(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(normalized(source)) {}

  std::vector<Lexeme> run() {
    while (at_ < source_.size()) root();
    put(LexemeType::kEnd);
    return std::move(lexemes_);
  }

 private:
  [[noreturn]] void bad(const std::string& what) const {
    fail(ErrorCode::kFormat, {.where = template_line(line_), .what = what});
  }
  bool starts_with(std::string_view text, std::size_t at) const {
    return std::string_view(source_).substr(std::min(at, source_.size())).starts_with(text);
  }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void put(LexemeType type, std::string text = {}) {
    Lexeme lexeme;
    lexeme.type = type;
    lexeme.text = std::move(text);
    lexeme.line = line_;
    lexemes_.push_back(std::move(lexeme));
  }

  void advance_to(std::size_t end) {
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<Index>(at_),
                                         source_.begin() + static_cast<Index>(end), '\n'));
    if (end > at_) line_starting_ = source_[end - 1] == '\n';
    at_ = end;
  }

  void skip_spaces() {
    const std::string_view rest = std::string_view(source_).substr(at_);
    advance_to(at_ + rest.size() - strip(rest, {}, Side::kLeft).size());
  }

  std::size_t after_spaces(std::size_t at) const {
    const std::string_view rest = std::string_view(source_).substr(at);
    return at + rest.size() - strip(rest, {}, Side::kLeft).size();
  }

  // The text before a tag, without the white space that the tag takes away: all of it before "{%-", and
  // before a block or comment what stands between the line's start and the tag, unless that is "{%+".
  std::string text_before(std::size_t tag, bool is_output) const {
    std::string_view text = std::string_view(source_).substr(at_, tag - at_);
    const char control = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
    if (control == '-') return std::string(strip(text, {}, Side::kRight));
    if (control == '+' || is_output) return std::string(text);
    const std::size_t line_begin = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
    const bool at_line_start = line_begin > 0 || line_starting_;
    if (at_line_start && strip(text.substr(line_begin)).empty()) text = text.substr(0, line_begin);
    return std::string(text);
  }

  // Text up to the next tag, and the tag.
  void root() {
    std::size_t tag = at_;
    while (true) {
      tag = std::min(source_.find('{', tag), source_.size());
      if (tag == source_.size() || starts_with("{{", tag) || starts_with("{%", tag) || starts_with("{#", tag))
        break;
      ++tag;
    }
    if (tag == source_.size()) {
      put(LexemeType::kText, source_.substr(at_));
      advance_to(tag);
      return;
    }
    const char kind = source_[tag + 1];
    if (std::string text = text_before(tag, kind == '{'); !text.empty())
      put(LexemeType::kText, std::move(text));
    advance_to(tag);
    if (kind == '%' && raw_block()) return;
    const std::size_t control = peek(2) == '-' || peek(2) == '+' ? 3 : 2;
    if (kind == '#') {
      comment(at_ + control);
      return;
    }
    put(kind == '{' ? LexemeType::kOutputBegin : LexemeType::kBlockBegin);
    advance_to(at_ + control);
    tag_body(kind == '{');
  }

  // Past "%}" or the like: "-%}" takes all white space after it, "%}" one newline, "+%}" nothing.
  // False when there is no such end here.
  bool skip_end(std::string_view end, bool trims_newline) {
    const bool plus = trims_newline && peek() == '+' && starts_with(end, at_ + 1);
    const bool minus = peek() == '-' && starts_with(end, at_ + 1);
    if (!plus && !minus && !starts_with(end, at_)) return false;
    std::size_t after = at_ + end.size() + (plus || minus ? 1 : 0);
    if (minus) {
      after = after_spaces(after);
    } else if (!plus && trims_newline && after < source_.size() && source_[after] == '\n') {
      ++after;
    }
    advance_to(after);
    return true;
  }

  void comment(std::size_t begin) {
    if (begin >= source_.size()) return advance_to(source_.size());  // Jinja lets "{#" at the very end pass
    const std::size_t end = source_.find("#}", begin);
    if (end == std::string::npos) bad("Missing end of comment tag");
    const bool control = end > begin && (source_[end - 1] == '-' || source_[end - 1] == '+');
    advance_to(control ? end - 1 : end);
    skip_end("#}", true);
  }

  // {% raw %}: what follows is text up to {% endraw %}.
  bool raw_block() {
    std::size_t word = at_ + 2;
    if (word < source_.size() && (source_[word] == '-' || source_[word] == '+')) ++word;
    word = after_spaces(word);
    if (!starts_with("raw", word)) return false;
    const std::size_t close = after_spaces(word + 3);
    if (!starts_with("%}", close) && !starts_with("-%}", close)) return false;
    advance_to(starts_with("%}", close) ? close + 2 : after_spaces(close + 3));
    for (std::size_t tag = source_.find("{%", at_); tag != std::string::npos;
         tag = source_.find("{%", tag + 1)) {
      std::size_t end = tag + 2;
      if (end < source_.size() && (source_[end] == '-' || source_[end] == '+')) ++end;
      end = after_spaces(end);
      if (!starts_with("endraw", end)) continue;
      end = after_spaces(end + 6);
      if (!starts_with("%}", end) && !starts_with("-%}", end) && !starts_with("+%}", end)) continue;
      if (std::string text = text_before(tag, false); !text.empty()) put(LexemeType::kText, std::move(text));
      advance_to(end);
      skip_end("%}", true);
      return true;
    }
    bad("Missing end of raw directive");
  }

  // The lexemes between {{ and }} or {% and %}.
  void tag_body(bool is_output) {
    std::string open;  // the brackets that are open
    while (true) {
      skip_spaces();
      if (at_ >= source_.size()) return;  // the parser says what is missing
      if (open.empty() && skip_end(is_output ? "}}" : "%}", !is_output)) {
        put(is_output ? LexemeType::kOutputEnd : LexemeType::kBlockEnd);
        return;
      }
      if (is_digit_char(peek())) {
        number();
      } else if (is_name_char(peek())) {
        name();
      } else if (peek() == '\'' || peek() == '"') {
        string();
      } else {
        operation(open);
      }
    }
  }

  void name() {
    std::size_t end = at_;
    while (end < source_.size() && is_name_char(source_[end])) ++end;
    put(LexemeType::kName, source_.substr(at_, end - at_));
    advance_to(end);
  }

  void string() {
    const char quote = peek();
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) bad("a string without its closing quote");
    std::string text;
    const std::string mistake = unescape(std::string_view(source_).substr(at_ + 1, end - at_ - 1), text);
    if (!mistake.empty()) bad(mistake);
    put(LexemeType::kString, std::move(text));
    advance_to(end + 1);
  }

  void number() {
    const bool after_dot = at_ > 0 && source_[at_ - 1] == '.';
    const NumberLiteral literal = scan_number(std::string_view(source_).substr(at_), after_dot);
    if (!literal.fits) bad("a number beyond 64 bits");
    put(literal.is_float ? LexemeType::kFloat : LexemeType::kInteger);
    lexemes_.back().integer = literal.integer;
    lexemes_.back().number = literal.number;
    advance_to(at_ + literal.length);
  }

  void operation(std::string& open) {
    static constexpr std::array kOperators = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                              "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                              ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};
    const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                    [&](const char* text) { return starts_with(text, at_); });
    if (found == kOperators.end()) bad("unexpected character '" + std::string(1, peek()) + "'");
    const std::string text = *found;
    if (text == "(" || text == "[" || text == "{") {
      open += text == "(" ? ')' : text == "[" ? ']' : '}';
    } else if (text == ")" || text == "]" || text == "}") {
      if (open.empty()) bad("unexpected '" + text + "'");
      if (open.back() != text[0]) bad("unexpected '" + text + "', expected '" + open.back() + "'");
      open.pop_back();
    }
    put(LexemeType::kOperator, text);
    advance_to(at_ + text.size());
  }

  std::string source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_starting_ = true;
  std::vector<Lexeme> lexemes_;
};

}  // namespace

std::string template_line(int line) { return "chat template, line " + std::to_string(line); }

std::vector<Lexeme> tokenize(std::string_view source) { return Lexer(source).run(); }

}  // namespace llm::jinja
