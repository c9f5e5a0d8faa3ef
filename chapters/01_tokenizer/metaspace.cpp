// SentencePiece writes blanks as a visible character, so that a token can tell whether a word begins with it.
#include <algorithm>

#include "chapters/01_tokenizer/pre_tokenizer.h"

namespace llm {
namespace {

class Metaspace final : public PreTokenizer {
 public:
  Metaspace(std::string replacement, PrependScheme prepend, bool split)
      : replacement_(std::move(replacement)), prepend_(prepend), split_(split) {}

  void cut(const Piece& piece, FunctionRef<void(const Piece&)> emit) const override {
    const std::string text = respell(piece.text, piece.from_start_bytes > 0);
    Index from_start = 0;
    if (piece.from_start_bytes > 0)
      from_start = size_of(text) - respelled_size(piece.text.substr(piece.from_start_bytes));
    emit_parts({text, from_start}, emit);
  }

 private:
  static Index size_of(std::string_view text) { return static_cast<Index>(text.size()); }

  // `replacement_` for every blank, and one in front where prepend_ wants it, unless the text begins with a
  // blank or a `replacement_` already. at_start: nothing of the user's text lies before.
  std::string respell(std::string_view text, bool at_start) const {
    // --8<-- [start:ex01-5]
    const bool wanted = prepend_ == PrependScheme::kAlways || (prepend_ == PrependScheme::kFirst && at_start);
    const bool there = text.starts_with(' ') || text.starts_with(replacement_);
    std::string respelled;
    if (wanted && !there) respelled = replacement_;
    for (const char c : text) {
      if (c == ' ') {
        respelled += replacement_;
      } else {
        respelled += c;
      }
    }
    return respelled;
    // --8<-- [end:ex01-5]
  }

  // Bytes of a text whose blanks are replaced.
  Index respelled_size(std::string_view text) const {
    return size_of(text) + std::ranges::count(text, ' ') * (size_of(replacement_) - 1);
  }

  void emit_parts(const Piece& piece, FunctionRef<void(const Piece&)> emit) const {
    std::size_t begin = 0;
    while (split_) {
      const std::size_t next = piece.text.find(replacement_, begin + 1);
      if (next == std::string_view::npos) break;
      emit(piece.part(static_cast<Index>(begin), static_cast<Index>(next)));
      begin = next;
    }
    emit(piece.part(static_cast<Index>(begin), size_of(piece.text)));
  }

  std::string replacement_;
  PrependScheme prepend_;
  bool split_;
};

}  // namespace

PreTokenizerPtr make_metaspace(std::string replacement, PrependScheme prepend, bool split) {
  return std::make_unique<Metaspace>(std::move(replacement), prepend, split);
}

}  // namespace llm
