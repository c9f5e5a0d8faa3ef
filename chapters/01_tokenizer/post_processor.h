// What is done to the ids at the end: special tokens around them (the BOS that Llama wants), limits on the
// length.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/types.h"

namespace llm {

// One entry of a template: a text's ids, or those of a special token.
struct TemplatePiece {
  static constexpr int kSpecial = -1;
  int text = kSpecial;  // 0: the text, 1: the second one of a pair
  std::vector<Token> ids = {};
};

// TemplateProcessing: what to make of one text, and of two.
struct Template {
  std::vector<TemplatePiece> single;
  std::vector<TemplatePiece> pair = {};
};

// "truncation" of tokenizer.json: at most max_length ids, special tokens included.
struct Truncation {
  Index max_length = 0;
  bool keep_end = false;  // direction "Left": the beginning is cut off
};

// "padding" of tokenizer.json: to a fixed length, or to a multiple, with one id.
struct Padding {
  Index length = 0;  // 0: not fixed
  Index multiple_of = 0;
  Token pad_id = 0;
  bool on_left = false;
};

class PostProcessor {
 public:
  // Adds what a step of the post-processor puts around the ids (TemplateProcessing); ByteLevel adds nothing.
  // A second template sees what the first one made: one part, or two, which it takes for a pair.
  void add_template(Template steps) { templates_.push_back(std::move(steps)); }
  std::optional<Truncation> truncation;
  std::optional<Padding> padding;

  // The ids of the text with all that belongs around them. Errors: kUnsupported for a template behind one
  // that made three parts or more.
  std::vector<Token> apply(std::vector<Token> ids, bool add_special_tokens) const;

 private:
  std::vector<Token> around(std::vector<Token> ids, bool add_special_tokens) const;

  std::vector<Template> templates_;
};

}  // namespace llm
