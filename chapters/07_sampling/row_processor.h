// A processor that treats every row by itself, as nearly all do.
#pragma once

#include <limits>
#include <span>

#include "common/seams/logits_processor.h"

namespace llm {

// The score of a token that must not be chosen.
inline constexpr float kBanned = -std::numeric_limits<float>::infinity();

// --8<-- [start:row_processor]
class RowProcessor : public LogitsProcessor {
 public:
  void operator()(View<const Token, 2> input_ids, View<float, 2> scores) const final {
    for (Index b = 0; b < scores.shape(0); ++b)
      process({input_ids[b].begin(), static_cast<std::size_t>(input_ids.shape(1))}, scores[b]);
  }

  // input_ids: [S], a row's prompt and new tokens, padding included. scores: [V], changed in place.
  virtual void process(std::span<const Token> input_ids, View<float, 1> scores) const = 0;
};
// --8<-- [end:row_processor]

// A sampling filter: it bans tokens, but never all, and changes no other score. NaN it leaves alone.
class Filter : public RowProcessor {};

// Errors: kRange for a value outside the range that the field of that name has in the field table.
void expect_in_range(std::string_view field, double value);

// Gives the token the score of a banned one. Ids beyond the vocabulary cannot be chosen anyway.
inline void ban(View<float, 1> scores, Token id) {
  if (id >= 0 && id < scores.size()) scores[id] = kBanned;
}

}  // namespace llm
