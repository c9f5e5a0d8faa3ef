// One step of training: the two neighbours that occur together most often become one token.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "common/base/types.h"

namespace llm {

using TokenPair = std::pair<Token, Token>;

// A word of the texts, as the tokens that it consists of by now.
struct TrainingWord {
  std::vector<Token> tokens;
  Index count = 0;  // how often it occurs in the texts
};

// Finds the pair of neighbours that occurs most often in all texts: a pair in a word counts as often as the
// word does, and "aaa" has the pair (a, a) twice. Of pairs that occur equally often it is the one with the
// lower left id, then the lower right id. In every word, from left to right, the two become `merged`: of
// "aaa" the first two. Returns the pair; or nothing, and changes nothing, if none occurs min_count times
// (1 or more).
std::optional<TokenPair> merge_most_frequent(std::vector<TrainingWord>& words, Index min_count, Token merged);

}  // namespace llm
