// Rows of scores for the exercises of chapter 07.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "chapters/07_sampling/row_processor.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {

using Scores = std::vector<float>;
using Ids = std::vector<Token>;

inline View<float, 1> row_of(Scores& scores) { return {scores.data(), {std::ssize(scores)}}; }

// The scores after the processor, for a text of these ids.
inline Scores processed(const RowProcessor& processor, Scores scores, const Ids& ids = {0}) {
  processor.process(ids, row_of(scores));
  return scores;
}

// The scores with everything banned but these tokens.
inline Scores only(const Scores& scores, const Ids& kept) {
  Scores result(scores.size(), kBanned);
  for (const Token id : kept) result[static_cast<std::size_t>(id)] = scores[static_cast<std::size_t>(id)];
  return result;
}

// Which tokens a processor bans when all scores are fine.
inline Ids banned_by(const RowProcessor& processor, const Ids& ids, std::size_t vocab_size = 10) {
  const Scores scores = processed(processor, Scores(vocab_size, 1.5f), ids);
  Ids banned;
  for (std::size_t v = 0; v < scores.size(); ++v)
    if (scores[v] == kBanned) banned.push_back(static_cast<Token>(v));
  return banned;
}

// Scores whose softmax are these probabilities; `shift` is added to all.
inline Scores scores_for(const std::vector<double>& probabilities, double shift = 0) {
  Scores scores;
  for (const double p : probabilities) scores.push_back(static_cast<float>(std::log(p) + shift));
  return scores;
}

}  // namespace llm::grading
