#include "chapters/01_tokenizer/matcher.h"

#include "chapters/01_tokenizer/unicode_data.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

Index size_of(std::string_view text) { return static_cast<Index>(text.size()); }

class LiteralMatcher final : public Matcher {
 public:
  explicit LiteralMatcher(std::string literal) : literal_(std::move(literal)) {}

  void for_each_match(std::string_view text, FunctionRef<void(Index, Index)> found) const override {
    if (text.empty()) return;
    if (literal_.empty()) {
      for (Index at = 0; at < size_of(text); at += decode_code_point(text, at).length) found(at, at);
      found(size_of(text), size_of(text));
      return;
    }
    for (std::size_t at = text.find(literal_); at != std::string_view::npos;) {
      const std::size_t end = at + literal_.size();
      found(static_cast<Index>(at), static_cast<Index>(end));
      at = text.find(literal_, end);
    }
  }

 private:
  std::string literal_;
};

// Runs of characters with one and the same kind; kind 0 is no match.
template <class Kind>
void for_each_run(std::string_view text, bool joined, Kind kind, FunctionRef<void(Index, Index)> found) {
  Index begin = 0;
  int current = 0;
  for (Index at = 0; at < size_of(text);) {
    const DecodedCodePoint c = decode_code_point(text, at);
    const int next = kind(c.value);
    if (next != current || !joined) {
      if (current != 0) found(begin, at);
      begin = at;
      current = next;
    }
    at += c.length;
  }
  if (current != 0) found(begin, size_of(text));
}

class ClassMatcher final : public Matcher {
 public:
  ClassMatcher(bool (*in_class)(char32_t), bool runs) : in_class_(in_class), runs_(runs) {}

  void for_each_match(std::string_view text, FunctionRef<void(Index, Index)> found) const override {
    for_each_run(
        text, runs_, [this](char32_t c) { return in_class_(c) ? 1 : 0; }, found);
  }

 private:
  bool (*in_class_)(char32_t);
  bool runs_;
};

class WordMatcher final : public Matcher {
 public:
  void for_each_match(std::string_view text, FunctionRef<void(Index, Index)> found) const override {
    for_each_run(
        text, true, [](char32_t c) { return is_word(c)         ? 1
                                            : is_whitespace(c) ? 0
                                                               : 2; }, found);
  }
};

}  // namespace

std::unique_ptr<Matcher> make_literal_matcher(std::string literal) {
  return std::make_unique<LiteralMatcher>(std::move(literal));
}

std::unique_ptr<Matcher> make_class_matcher(bool (*in_class)(char32_t), bool runs) {
  return std::make_unique<ClassMatcher>(in_class, runs);
}

std::unique_ptr<Matcher> make_word_matcher() { return std::make_unique<WordMatcher>(); }

}  // namespace llm
