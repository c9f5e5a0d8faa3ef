// Tokens that may not come at all, or not first.
#pragma once

#include <vector>

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// transformers: SuppressTokensLogitsProcessor.
class SuppressTokens : public RowProcessor {
 public:
  explicit SuppressTokens(std::vector<Token> ids) : ids_(std::move(ids)) {}
  std::string_view name() const override { return "suppress_tokens"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  std::vector<Token> ids_;
};

// Bans them when a row has exactly begin_index tokens: for the first new token that is the prompt's length,
// and one more after a forced first token. transformers: SuppressTokensAtBeginLogitsProcessor.
class BeginSuppressTokens : public RowProcessor {
 public:
  BeginSuppressTokens(std::vector<Token> ids, Index begin_index)
      : ids_(std::move(ids)), begin_index_(begin_index) {}
  std::string_view name() const override { return "begin_suppress_tokens"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  std::vector<Token> ids_;
  Index begin_index_;
};

}  // namespace llm
