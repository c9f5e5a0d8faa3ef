// The next token of one row: its processors, and the draw.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "chapters/07_sampling/logits_processor_list.h"
#include "common/base/rng.h"

namespace llm {

// How a request chooses: greedily, or by the uniform numbers of a seed.
struct ChoiceRule {
  LogitsProcessorList processors = {};
  bool do_sample = false;
  std::uint64_t seed = 0;
  std::uint32_t sequence = 0;  // number of the row in its batch: rows draw independently of each other
};

// The uniform number that decides about the token at a position: prompt tokens without padding, then new
// ones.
double sampling_uniform(const ChoiceRule& rule, Index position);

// The best token, or a drawn one. scores: [V], processed. Errors: those of draw() and argmax().
Token choose(const ChoiceRule& rule, View<const float, 1> scores, Index position);

// Keeps a row's ids and a row of scores, so that nothing is allocated for each token.
class TokenChooser {
 public:
  // prompt: with its padding, of which there is so much on the left. room: new tokens that may come.
  TokenChooser(ChoiceRule rule, std::span<const Token> prompt, Index padding, Index room);

  // Copies the model's scores, [V]. An engine's are gone after its next forward pass, and with guidance a
  // processor does one: all rows take theirs before the first one chooses.
  void take(View<const float, 1> logits);

  // Processes what was taken, chooses and appends the token. Errors: those of LogitsProcessorList::run().
  Token choose_next(Observer* observer = nullptr);

  // Appends a token that somebody else chose.
  void append(Token token) { ids_.push_back(token); }

  View<const float, 1> scores() const { return scores_[0]; }  // as the last token was chosen from them
  const ChoiceRule& rule() const { return rule_; }
  Index position() const { return static_cast<Index>(ids_.size()) - padding_; }  // of the next token

 private:
  ChoiceRule rule_;
  std::vector<Token> ids_;  // [S]: padding, prompt and new tokens
  Index padding_, prompt_length_;
  Tensor<float, 2> scores_;  // [1, V]
};

}  // namespace llm
