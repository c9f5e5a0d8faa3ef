// What every LogitsProcessor must do: common/seams/logits_processor.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/seams/logits_processor.h"
#include "common/tensor/tensor.h"
#include "tests/common/seams/checks.h"

namespace llm::test {

// A processor and a batch that it acts on. Its data (prompt length, mask) is the same for every row, so that
// rows may change places.
struct ProcessorCase {
  const LogitsProcessor& processor;
  std::vector<std::vector<Token>> input_ids;  // [B][S]
  Tensor<float, 2> scores;                    // [B, V]
  bool may_unban = false;  // may a score of minus infinity come back? True of forced tokens only.
};

inline Tensor<float, 2> processed(const ProcessorCase& c, const std::vector<std::size_t>& order) {
  const Index V = c.scores.shape(1), B = static_cast<Index>(order.size());
  const auto S = static_cast<Index>(c.input_ids[0].size());
  Tensor<Token, 2> ids({B, S});
  Tensor<float, 2> scores({B, V});
  for (Index b = 0; b < B; ++b) {
    const std::size_t from = order[static_cast<std::size_t>(b)];
    std::copy_n(c.input_ids[from].begin(), S, ids[b].begin());
    std::copy_n(c.scores[static_cast<Index>(from)].begin(), V, scores[b].begin());
  }
  c.processor(ids, scores);
  return scores;
}

inline bool same_row(View<const float, 1> a, View<const float, 1> b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](float x, float y) { return x == y; });  // NaN differs
}

inline Checks logits_processor_conformance(const ProcessorCase& c) {
  Checks checks(std::string(c.processor.name()));
  const std::size_t B = c.input_ids.size();
  std::vector<std::size_t> order(B), backwards(B);
  for (std::size_t b = 0; b < B; ++b) order[b] = b, backwards[b] = B - 1 - b;
  checks.that(!c.processor.name().empty(), "it has a name");
  checks.part("call", [&] {
    const auto first = processed(c, order), reversed = processed(c, backwards), again = processed(c, order);
    bool rows = true, repeats = true, alone = true, banned = true, numbers = true;
    for (std::size_t b = 0; b < B; ++b) {
      const auto row = static_cast<Index>(b);
      repeats = repeats && same_row(first[row], again[row]);
      rows = rows && same_row(first[row], reversed[static_cast<Index>(B - 1 - b)]);
      alone = alone && same_row(first[row], processed(c, {b})[0]);
      for (Index v = 0; v < c.scores.shape(1); ++v) {
        const float minus_infinity = -std::numeric_limits<float>::infinity();
        banned =
            banned && (c.may_unban || c.scores(row, v) != minus_infinity || first(row, v) == minus_infinity);
        numbers = numbers && !std::isnan(first(row, v));
      }
    }
    checks.that(repeats, "the same arguments give the same scores: nothing is kept between calls");
    checks.that(rows, "rows may change places");
    checks.that(alone, "a row of a batch is the row alone");
    checks.that(banned, "minus infinity stays minus infinity");
    checks.that(numbers, "no score becomes NaN");
    checks.that(!same_row(first[0], c.scores.view()[0]), "the scores are changed in place");
  });
  return checks;
}

}  // namespace llm::test
