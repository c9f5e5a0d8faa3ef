// The smallest text generator's knowledge: which letter comes after which, counted in a text.
#pragma once

#include <array>
#include <string_view>

#include "common/base/types.h"

namespace llm {

// How often each byte value was seen.
using Counts = std::array<Index, 256>;

// For each byte, how often it stands directly after `letter` in `text`.
Counts count_followers(std::string_view text, char letter);

// The probability of `letter` after what was counted: its share of all, in [0, 1]. 0 where nothing was
// counted.
double probability(const Counts& counts, char letter);

}  // namespace llm
