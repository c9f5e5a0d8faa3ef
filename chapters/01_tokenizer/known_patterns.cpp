// The known patterns, written out by hand: what a regular expression engine finds out by trying, these
// scanners know. Each function is one alternative of a pattern, in its order; the comments quote it.
#include "chapters/01_tokenizer/known_patterns.h"

#include <cstring>

#include "chapters/01_tokenizer/unicode_data.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

// A place in the text and the character there.
class Cursor {
 public:
  Cursor(std::string_view text, Index at) : text_(text), at_(at), classes_(character_classes().data()) {
    read();
  }

  Index at() const { return at_; }
  bool done() const { return at_ >= static_cast<Index>(text_.size()); }
  char32_t character() const { return character_; }
  // Bits of unicode_data.h; 0 at the end of the text.
  unsigned char classes() const { return bits_; }
  bool is(int classes) const { return (bits_ & classes) != 0; }
  bool is_line_end() const { return character_ == '\n' || character_ == '\r'; }

  void next() {
    at_ += length_;
    read();
  }
  void go(Index at) {
    at_ = at;
    read();
  }

 private:
  // The text is valid UTF-8.
  void read() {
    if (done()) {
      character_ = 0;
      bits_ = 0;
      length_ = 0;
      return;
    }
    const auto byte = [&](Index i) {
      return static_cast<char32_t>(static_cast<unsigned char>(text_[at_ + i]));
    };
    const char32_t lead = byte(0);
    if (lead < 0x80) {
      character_ = lead;
      length_ = 1;
    } else if (lead < 0xE0) {
      character_ = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
      length_ = 2;
    } else if (lead < 0xF0) {
      character_ = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
      length_ = 3;
    } else {
      character_ = (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
      length_ = 4;
    }
    bits_ = classes_[character_];
  }

  std::string_view text_;
  Index at_;
  const unsigned char* classes_;
  char32_t character_ = 0;
  Index length_ = 0;
  unsigned char bits_ = 0;
};

constexpr int kWordCharacter = kLetter | kNumber;

bool is_symbol(const Cursor& c) { return !c.done() && !c.is(kWordCharacter | kSpace); }

char32_t lower_ascii(char32_t c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

// 's|'t|'re|'ve|'m|'ll|'d, standing on the apostrophe. Ignoring case means Unicode's: a long s counts as s.
bool contraction(Cursor& c, bool ignore_case) {
  Cursor look = c;
  look.next();
  const auto letter = [&]() -> char32_t {
    if (!ignore_case) return look.character();
    return look.character() == 0x17F ? U's' : lower_ascii(look.character());
  };
  const char32_t first = letter();
  if (look.done()) return false;
  look.next();
  if (first != 's' && first != 't' && first != 'm' && first != 'd') {
    const char32_t wanted = first == 'r' || first == 'v' ? U'e' : first == 'l' ? U'l' : U'\0';
    if (wanted == 0 || look.done() || letter() != wanted) return false;
    look.next();
  }
  c = look;
  return true;
}

// \s*[\r\n]+|\s+(?!\S)|\s+ (with `lines`) or \s+(?!\S)|\s+, standing on a blank: to the last line end in the
// run of blanks; else all of it but the last blank, which belongs to the following word; else the one blank.
void blanks(Cursor& c, bool lines) {
  // --8<-- [start:ex01-4]
  Index last_line_end = -1, last_begin = c.at(), count = 0;
  while (c.is(kSpace)) {
    last_begin = c.at();
    const bool line_end = c.is_line_end();
    c.next();
    ++count;
    if (line_end) last_line_end = c.at();
  }
  if (lines && last_line_end >= 0) {
    c.go(last_line_end);
  } else if (!c.done() && count > 1) {
    c.go(last_begin);
  }
  // --8<-- [end:ex01-4]
}

void skip(Cursor& c, int classes) {
  while (c.is(classes)) c.next();
}

// Where the word that begins at c ends; c is not done and moves on by a character at least.
void gpt2_word(Cursor& c) {
  // --8<-- [start:ex01-3]
  if (c.character() == '\'' && contraction(c, false)) return;
  Cursor start = c;
  if (c.character() == ' ') start.next();  // " ?" in front of letters, numbers or symbols
  if (start.is(kLetter)) {
    skip(start, kLetter);
  } else if (start.is(kNumber)) {
    skip(start, kNumber);
  } else if (is_symbol(start)) {
    while (is_symbol(start)) start.next();
  } else {
    return blanks(c, false);
  }
  c = start;
  // --8<-- [end:ex01-3]
}

// ` ?[^\s\p{L}\p{N}]+[\r\n]*` (and "/" with `slash`), or else blanks.
void symbols_or_blanks(Cursor& c, bool slash) {
  Cursor start = c;
  if (c.character() == ' ') start.next();
  if (!is_symbol(start)) return blanks(c, true);
  while (is_symbol(start)) start.next();
  while (start.is_line_end() || (slash && start.character() == '/')) start.next();
  c = start;
}

void numbers(Cursor& c, int most) {
  for (int count = 0; count < most && c.is(kNumber); ++count) c.next();
}

// Llama 3's and Qwen2's patterns differ in how many digits go together.
template <int kDigits>
void cl100k_word(Cursor& c) {
  if (c.character() == '\'' && contraction(c, true)) return;
  if (c.is(kLetter)) return skip(c, kLetter);
  if (c.is(kNumber)) return numbers(c, kDigits);
  if (!c.is_line_end()) {  // [^\r\n\p{L}\p{N}]?\p{L}+
    Cursor letters = c;
    letters.next();
    if (letters.is(kLetter)) {
      skip(letters, kLetter);
      c = letters;
      return;
    }
  }
  symbols_or_blanks(c, false);
}

// Which letters count as capital, which as small: those without case, and marks, count as both.
bool counts_as_capital(const Cursor& c) { return c.is(kMark) || (c.is(kLetter) && !c.is(kLower)); }
bool counts_as_small(const Cursor& c) { return c.is(kMark) || (c.is(kLetter) && !c.is(kUpper)); }

// [capital]*[small]+ and a contraction behind, if there is one.
bool mixed_word(Cursor& c) {
  Cursor end = c;
  Index last_both = -1;
  for (; counts_as_capital(end); end.next()) {
    if (counts_as_small(end)) last_both = end.at();
  }
  if (!counts_as_small(
          end)) {  // then the capitals must give some back, to the last that also counts as small
    if (last_both < 0) return false;
    end.go(last_both);
  }
  while (counts_as_small(end)) end.next();
  if (end.character() == '\'') contraction(end, true);
  c = end;
  return true;
}

// [capital]+[small]* where no small letter follows (mixed_word would have found it), and a contraction.
bool capital_word(Cursor& c) {
  if (!counts_as_capital(c)) return false;
  while (counts_as_capital(c)) c.next();
  if (c.character() == '\'') contraction(c, true);
  return true;
}

// [^\r\n\p{L}\p{N}]? in front of one of the two: with it if possible, else without.
bool with_prefix(Cursor& c, bool (*word)(Cursor&)) {
  if (!c.is(kWordCharacter) && !c.is_line_end()) {
    Cursor behind = c;
    behind.next();
    if (word(behind)) {
      c = behind;
      return true;
    }
  }
  return word(c);
}

void o200k_word(Cursor& c) {
  if (with_prefix(c, mixed_word) || with_prefix(c, capital_word)) return;
  if (c.is(kNumber)) return numbers(c, 3);
  symbols_or_blanks(c, true);
}

// Calls a word function until the text ends: the known patterns match all of it.
class KnownMatcher final : public Matcher {
 public:
  explicit KnownMatcher(void (*word)(Cursor&)) : word_(word) {
    character_classes();  // made now, not in the first text
  }

  void for_each_match(std::string_view text, FunctionRef<void(Index, Index)> found) const override {
    for (Cursor c(text, 0); !c.done();) {
      const Index begin = c.at();
      word_(c);
      found(begin, c.at());
    }
  }

 private:
  void (*word_)(Cursor&);
};

}  // namespace

std::unique_ptr<Matcher> make_known_matcher(std::string_view pattern) {
  if (pattern == kGpt2Pattern) return std::make_unique<KnownMatcher>(gpt2_word);
  if (pattern == kQwen2Pattern) return std::make_unique<KnownMatcher>(cl100k_word<1>);
  if (pattern == kLlama3Pattern) return std::make_unique<KnownMatcher>(cl100k_word<3>);
  if (pattern == kGpt4oPattern) return std::make_unique<KnownMatcher>(o200k_word);
  return nullptr;
}

}  // namespace llm
