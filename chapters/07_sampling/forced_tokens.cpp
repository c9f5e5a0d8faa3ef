#include "chapters/07_sampling/forced_tokens.h"

#include <algorithm>

namespace llm {
namespace {

void force(std::span<const Token> ids, View<float, 1> scores) {
  std::ranges::fill(scores, kBanned);
  for (const Token id : ids)
    if (id < scores.size()) scores[id] = 0;
}

}  // namespace

void ForcedBos::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  if (input_ids.size() == 1) force({&id_, 1}, scores);
}

void ForcedEos::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  if (static_cast<Index>(input_ids.size()) == max_length_ - 1) force(ids_, scores);
}

}  // namespace llm
