// A classifier without any training: which of several answers is the model most ready to give?
#pragma once

#include <span>
#include <vector>

#include "common/seams/causal_lm.h"

namespace llm {

// log softmax(logits)[token], the logarithm of the probability that the next token is this one; in double
// precision. logits: [V].
double log_probability(View<const float, 1> logits, Token token);

// How probable each label is as the continuation of the prompt, as a logarithm. A label of several tokens has
// the sum over its tokens: log p(t1 | prompt) + log p(t2 | prompt t1) + ... One forward pass answers for all
// labels. prompt and labels: not empty; returns one number a label.
std::vector<double> label_log_probabilities(CausalLM& model, const std::vector<Token>& prompt,
                                            std::span<const std::vector<Token>> labels);

// What each label has of the probability of all labels together: exp(l_i) / sum of exp(l_j).
std::vector<double> label_shares(std::span<const double> log_probabilities);

}  // namespace llm
