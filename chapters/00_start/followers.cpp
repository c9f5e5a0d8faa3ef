#include "chapters/00_start/followers.h"

#include <numeric>

namespace llm {
namespace {

std::size_t slot(char letter) { return static_cast<unsigned char>(letter); }

}  // namespace

double probability(const Counts& counts, char letter) {
  // --8<-- [start:ex00-1]
  const Index total = std::accumulate(counts.begin(), counts.end(), Index{0});
  if (total == 0) return 0;
  return static_cast<double>(counts[slot(letter)]) / static_cast<double>(total);
  // --8<-- [end:ex00-1]
}

Counts count_followers(std::string_view text, char letter) {
  Counts counts{};
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    // --8<-- [start:ex00-2]
    const char here = text[i];
    const char next = text[i + 1];
    if (here == letter) ++counts[slot(next)];
    // --8<-- [end:ex00-2]
  }
  return counts;
}

}  // namespace llm
