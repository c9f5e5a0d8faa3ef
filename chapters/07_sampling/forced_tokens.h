// A first or a last token that nobody chooses.
#pragma once

#include <vector>

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// After exactly one token: this one and no other. For models whose texts begin with a language token.
// transformers: ForcedBOSTokenLogitsProcessor.
class ForcedBos : public RowProcessor {
 public:
  explicit ForcedBos(Token id) : id_(id) {}
  std::string_view name() const override { return "forced_bos_token_id"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  Token id_;
};

// Where the next token is the last one that fits: one of these and no other.
// transformers: ForcedEOSTokenLogitsProcessor.
class ForcedEos : public RowProcessor {
 public:
  // max_length: of prompt and new tokens, padding included.
  ForcedEos(std::vector<Token> ids, Index max_length) : ids_(std::move(ids)), max_length_(max_length) {}
  std::string_view name() const override { return "forced_eos_token_id"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  std::vector<Token> ids_;
  Index max_length_;
};

}  // namespace llm
