// How much a text repeats itself.
#pragma once

#include <span>

#include "common/base/types.h"

namespace llm {

struct NgramCount {
  Index distinct = 0;
  Index total = 0;
  double share() const { return total == 0 ? 1 : static_cast<double>(distinct) / static_cast<double>(total); }
};

// The pieces of n tokens in a row, n >= 1. All different: nothing is said twice.
NgramCount distinct_ngrams(std::span<const Token> ids, Index n);

}  // namespace llm
