#include "chapters/07_sampling/distinct_ngrams.h"

#include <set>
#include <vector>

namespace llm {

NgramCount distinct_ngrams(std::span<const Token> ids, Index n) {
  std::set<std::vector<Token>> seen;
  NgramCount count;
  const auto length = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i + length <= ids.size(); ++i, ++count.total) {
    const auto piece = ids.subspan(i, length);
    seen.emplace(piece.begin(), piece.end());
  }
  count.distinct = static_cast<Index>(seen.size());
  return count;
}

}  // namespace llm
