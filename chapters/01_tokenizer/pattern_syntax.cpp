#include "chapters/01_tokenizer/pattern_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "chapters/01_tokenizer/pattern_sets.h"
#include "common/base/error.h"

namespace llm {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Translator {
 public:
  Translator(std::string_view pattern, const std::string& where) : pattern_(pattern), where_(where) {}

  std::string run() {
    while (!done()) step();
    return std::move(out_);
  }

 private:
  bool done() const { return at_ >= pattern_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  void copy() { out_ += pattern_[at_++]; }

  [[noreturn]] void unsupported(const std::string& what) const {
    fail(ErrorCode::kUnsupported, {.where = where_, .what = "the regular expression has " + what});
  }

  void step() {
    const char c = peek();
    const bool continues_character = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (c == '{') {
      interval();
    } else if (c == '(') {
      open_group();
    } else if (c == ')') {
      close_group();
    } else if (c == '*' || c == '+' || c == '?' || continues_character) {
      copy();
    } else {
      atom_ = out_.size();
      if (c == '\\') {
        escape();
      } else if (c == '[') {
        bracket();
      } else {
        copy();
      }
    }
  }

  // "(?mi:" becomes "(?si:"; all else stays.
  void open_group() {
    groups_.push_back(out_.size());
    copy();
    if (peek() != '?') return;
    copy();
    while (std::isalpha(static_cast<unsigned char>(peek())) != 0 || peek() == '-') {
      out_ += peek() == 'm' ? 's' : peek();
      ++at_;
    }
  }

  void close_group() {
    copy();
    if (groups_.empty()) return;
    atom_ = groups_.back();
    groups_.pop_back();
  }

  // "{2,3}+" repeats what stands before as a whole; "{,3}" has no lower bound; a lone "{" is a character.
  void interval() {
    std::size_t end = at_ + 1;
    while (end < pattern_.size() && (is_digit(pattern_[end]) || pattern_[end] == ',')) ++end;
    const std::string inside(pattern_.substr(at_ + 1, end - at_ - 1));
    if (end >= pattern_.size() || pattern_[end] != '}' || inside.empty() || inside == ",") {
      atom_ = out_.size();
      out_ += "\\{";
      ++at_;
      return;
    }
    at_ = end + 1;
    out_ += (inside[0] == ',' ? "{0" : "{") + inside + "}";
    const bool fixed = inside.find(',') == std::string::npos;
    if (peek() == '+' || (peek() == '?' && fixed)) {
      out_.insert(atom_, "(?:");
      out_ += ")";
    }
  }

  // The set of an escape such as \s, standing on its letter; nothing is read for another escape.
  std::optional<CharacterSet> class_escape() {
    const char c = peek();
    CharacterSet set;
    switch (std::tolower(static_cast<unsigned char>(c))) {
      case 's': set = space_set(); break;
      case 'h': set = hex_set(); break;
      case 'w': set = word_set(); break;
      case 'd': set = digit_set(); break;
      case 'p': {
        const std::size_t close = pattern_.find('}', at_);
        if (peek(1) != '{' || close == std::string_view::npos) unsupported("\\p without {Name}");
        set = property_set(pattern_.substr(at_ + 2, close - at_ - 2));
        at_ = close;
        break;
      }
      default: return std::nullopt;
    }
    ++at_;
    if (std::isupper(static_cast<unsigned char>(c)) != 0) set.negated = !set.negated;
    return set;
  }

  void escape() {
    ++at_;  // the backslash
    const bool is_word = peek() == 'w' || peek() == 'W';
    if (const auto set = class_escape()) {
      out_ += (set->negated ? "[^" : "[") + (is_word ? lone_word_set() : *set).members + "]";
    } else if (peek() == 'b' || peek() == 'B') {
      const char* boundary =
          peek() == 'b' ? "(?:(?<={0})(?!{0})|(?<!{0})(?={0}))" : "(?:(?<={0})(?={0})|(?<!{0})(?!{0}))";
      out_ += fmt::format(fmt::runtime(boundary), "[" + lone_word_set().members + "]");
      ++at_;
    } else {
      character_escape();
    }
  }

  // An escape that stands for one character, or that both dialects read alike.
  void character_escape() {
    const char c = peek();
    if (c == 'u') {
      out_ += "\\x{" + std::string(pattern_.substr(at_ + 1, 4)) + "}";
      at_ = std::min(at_ + 5, pattern_.size());
    } else if (c == 'v') {
      out_ += "\\x{B}";
      ++at_;
    } else if (c == 'O') {
      out_ += "(?s:.)";
      ++at_;
    } else {
      out_ += '\\';
      if (!done()) copy();
    }
  }

  void bracket() {
    copy();
    if (peek() == '^') copy();
    for (bool first = true; first || peek() != ']'; first = false) {
      if (done()) return;  // PCRE2 will complain
      if (peek() == '&' && peek(1) == '&') unsupported("&& inside brackets");
      if (peek() == '[') {
        nested_bracket();
      } else if (peek() == '\\') {
        ++at_;
        if (const auto set = class_escape()) {
          add_members(*set);
        } else {
          character_escape();
        }
      } else {
        copy();
      }
    }
    copy();
  }

  // "[:alpha:]" is \p{alpha}; other brackets inside brackets are set operations.
  void nested_bracket() {
    const std::size_t close = pattern_.find(":]", at_ + 2);
    if (peek(1) != ':' || close == std::string_view::npos) unsupported("brackets inside brackets");
    const std::string_view name = pattern_.substr(at_ + 2, close - at_ - 2);
    add_members(name == "word" ? word_set() : property_set(name));
    at_ = close + 2;
  }

  void add_members(const CharacterSet& set) {
    const std::string members = set.negated ? complement_members(set) : set.members;
    if (members.empty()) unsupported("a negated script among others inside brackets");
    out_ += members;
  }

  std::string_view pattern_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::string out_;
  std::size_t atom_ = 0;             // where in out_ the thing begins that a quantifier would repeat
  std::vector<std::size_t> groups_;  // where in out_ the open groups begin
};

}  // namespace

std::string to_pcre2_syntax(std::string_view pattern, const std::string& where) {
  return Translator(pattern, where).run();
}

}  // namespace llm
