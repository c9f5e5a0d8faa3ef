// Guesses several next tokens at once, for a larger model to verify. Chapter 10 has two: a draft model and a
// look-up in the text so far.
#pragma once

#include <span>
#include <vector>

#include "common/base/types.h"
#include "common/tensor/tensor.h"

namespace llm {

// K guessed tokens. scores: [K, V], the processed scores that each was drawn from; empty when the guess is
// certain (a greedy draft, a look-up), which counts as probability 1.
struct Candidates {
  std::vector<Token> ids;
  Tensor<float, 2> scores;
};

class CandidateGenerator {
 public:
  virtual ~CandidateGenerator() = default;

  // input_ids: [S], all tokens so far. max_candidates: as many as still fit. May return none.
  virtual Candidates get_candidates(std::span<const Token> input_ids, Index max_candidates) = 0;

  // After a verification: of num_candidates guesses the first num_matches were accepted; input_ids: [S'], all
  // tokens so far, the target's own one included. What the generator cached beyond the matches is rolled
  // back.
  virtual void update_candidate_strategy(std::span<const Token> input_ids, Index num_candidates,
                                         Index num_matches) = 0;
};

}  // namespace llm
