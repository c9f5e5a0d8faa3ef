#include "chapters/07_sampling/remove_invalid.h"

#include <algorithm>
#include <cmath>

namespace llm {

void RemoveInvalidValues::process(std::span<const Token>, View<float, 1> scores) const {
  constexpr float kLargest = std::numeric_limits<float>::max();
  for (float& score : scores) score = std::isnan(score) ? 0.0f : std::clamp(score, -kLargest, kLargest);
}

}  // namespace llm
