#include "chapters/01_tokenizer/pair_merging.h"

#include <map>

namespace llm {

// --8<-- [start:ex01-7]
std::pair<TokenPair, Index> most_frequent_pair(const std::vector<TrainingWord>& words) {
  std::map<TokenPair, Index> counts;  // in the order of the ids, so that the first of equals wins
  for (const TrainingWord& word : words)
    for (std::size_t i = 0; i + 1 < word.tokens.size(); ++i)
      counts[{word.tokens[i], word.tokens[i + 1]}] += word.count;
  std::pair<TokenPair, Index> best{{}, 0};
  for (const auto& [pair, count] : counts)
    if (count > best.second) best = {pair, count};
  return best;
}

void merge_pair(std::vector<TrainingWord>& words, const TokenPair& pair, Token merged) {
  for (TrainingWord& word : words) {
    std::vector<Token>& tokens = word.tokens;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tokens.size(); ++kept) {
      const bool here = i + 1 < tokens.size() && tokens[i] == pair.first && tokens[i + 1] == pair.second;
      tokens[kept] = here ? merged : tokens[i];
      i += here ? 2 : 1;
    }
    tokens.resize(kept);
  }
}
// --8<-- [end:ex01-7]

}  // namespace llm
