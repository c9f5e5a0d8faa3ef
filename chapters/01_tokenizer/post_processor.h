// What is done to the ids at the end: special tokens around them (the BOS that Llama wants), limits on the
// length.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/types.h"

namespace llm {

// One entry of a template: the text's ids, or those of a special token.
struct TemplatePiece {
  bool is_text = false;
  std::vector<Token> ids;
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
  void add_template(std::vector<TemplatePiece> pieces) { templates_.push_back(std::move(pieces)); }
  std::optional<Truncation> truncation;
  std::optional<Padding> padding;

  // The ids of the text with all that belongs around them.
  std::vector<Token> apply(std::vector<Token> ids, bool add_special_tokens) const;

 private:
  std::vector<Token> around(const std::vector<Token>& ids, bool add_special_tokens) const;

  std::vector<std::vector<TemplatePiece>> templates_;
};

}  // namespace llm
