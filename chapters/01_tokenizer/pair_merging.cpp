#include "chapters/01_tokenizer/pair_merging.h"

#include <map>

namespace llm {

std::optional<TokenPair> merge_most_frequent(std::vector<TrainingWord>& words, Index min_count,
                                             Token merged) {
  // --8<-- [start:ex01-7]
  std::map<TokenPair, Index> counts;  // in the order of the ids, so that the first of equals wins
  for (const auto& [tokens, count] : words)
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) counts[{tokens[i], tokens[i + 1]}] += count;
  TokenPair best{};
  Index most = 0;
  for (const auto& [pair, count] : counts) {
    if (count <= most) continue;
    best = pair;
    most = count;
  }
  if (most < min_count) return std::nullopt;

  for (auto& [tokens, count] : words) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tokens.size(); ++kept) {
      const bool here = i + 1 < tokens.size() && tokens[i] == best.first && tokens[i + 1] == best.second;
      tokens[kept] = here ? merged : tokens[i];
      i += here ? 2 : 1;
    }
    tokens.resize(kept);
  }
  return best;
  // --8<-- [end:ex01-7]
}

}  // namespace llm
