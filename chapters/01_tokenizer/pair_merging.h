// One step of training: which two neighbours occur together most often, and what the words are when they are
// one token.
#pragma once

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

// The pair of neighbours that occurs most often in all texts, and how often: a pair in a word counts as often
// as the word does, and "aaa" has the pair (a, a) twice. Of pairs that occur equally often the one with the
// lower left id, then the lower right id. The count is 0 where no word has two tokens.
std::pair<TokenPair, Index> most_frequent_pair(const std::vector<TrainingWord>& words);

// In every word, from left to right, the two tokens of `pair` become `merged`: of "aaa" the first two.
void merge_pair(std::vector<TrainingWord>& words, const TokenPair& pair, Token merged);

}  // namespace llm
