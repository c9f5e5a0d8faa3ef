// No n tokens in a row twice.
#pragma once

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// Bans every token that would complete n tokens in a row that the row has already, padding included. 1: no
// token twice. transformers: NoRepeatNGramLogitsProcessor.
class NoRepeatNgram : public RowProcessor {
 public:
  // n >= 1. Errors: kRange.
  explicit NoRepeatNgram(Index n);
  std::string_view name() const override { return "no_repeat_ngram_size"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  std::size_t n_;
};

// Bans what would complete n tokens in a row that the prompt has.
// transformers: EncoderNoRepeatNGramLogitsProcessor, whose encoder is the prompt here.
class EncoderNoRepeatNgram : public RowProcessor {
 public:
  // n >= 1; prompt_length: tokens of the prompt, padding included. Errors: kRange.
  EncoderNoRepeatNgram(Index n, Index prompt_length);
  std::string_view name() const override { return "encoder_no_repeat_ngram_size"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  std::size_t n_, prompt_length_;
};

}  // namespace llm
