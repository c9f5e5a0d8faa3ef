// Repetition penalty: tokens that were there become less probable, or those of the prompt more probable.
// Keskar et al. 2019, "CTRL".
#pragma once

#include <vector>

#include "chapters/07_sampling/row_processor.h"

namespace llm {

// A positive score of a token that has occurred is divided by the penalty, a negative one multiplied: either
// way it sinks, once however often the token occurred. Prompt and new tokens count, left padding does not.
// transformers: RepetitionPenaltyLogitsProcessor.
class RepetitionPenalty : public LogitsProcessor {
 public:
  // penalty > 0; above 1 it discourages, below 1 it encourages. prompt_ignore_length: how many ids at the
  // beginning do not count; one number for all rows, or one a row; none: 0. Errors: kRange.
  explicit RepetitionPenalty(double penalty, std::vector<Index> prompt_ignore_length = {});
  std::string_view name() const override { return "repetition_penalty"; }
  void operator()(View<const Token, 2> input_ids, View<float, 2> scores) const override;

 private:
  float penalty_;
  std::vector<Index> prompt_ignore_length_;
};

// The same with 1 / penalty for the tokens of the prompt only: above 1 the text keeps to the prompt's words.
// transformers: EncoderRepetitionPenaltyLogitsProcessor, whose encoder is the prompt here.
class EncoderRepetitionPenalty : public RowProcessor {
 public:
  // prompt_length: tokens of the prompt, padding included. Errors: kRange unless penalty > 0.
  EncoderRepetitionPenalty(double penalty, Index prompt_length);
  std::string_view name() const override { return "encoder_repetition_penalty"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  float penalty_;
  Index prompt_length_;
};

}  // namespace llm
