// Sequence bias and bad words: tokens that depend on the ones just before them.
#pragma once

#include <vector>

#include "chapters/07_sampling/row_processor.h"
#include "common/config/generation_config.h"

namespace llm {

// Adds the bias of a sequence to its last token's score where the row ends with all the tokens before it; to
// a sequence of one token always. The biases of all sequences that fit add up. A sequence that is given twice
// has its last bias. transformers: SequenceBiasLogitsProcessor.
class SequenceBiasProcessor : public RowProcessor {
 public:
  // Errors: kUsage for a sequence without tokens.
  explicit SequenceBiasProcessor(std::vector<SequenceBias> biases);
  std::string_view name() const override { return "sequence_bias"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  std::vector<SequenceBias> biases_;
};

// Bans the last token of each bad word where the row ends with the tokens before it. A word that is nothing
// but an end token is ignored. transformers: NoBadWordsLogitsProcessor.
class BadWords : public RowProcessor {
 public:
  // Errors: kUsage for a word without tokens.
  BadWords(std::vector<std::vector<Token>> words, std::span<const Token> eos_token_id);
  std::string_view name() const override { return "bad_words_ids"; }
  void process(std::span<const Token> input_ids, View<float, 1> scores) const override;

 private:
  std::vector<std::vector<Token>> words_;
};

}  // namespace llm
