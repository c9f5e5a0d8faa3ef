#include "tests/bench/step_times.h"

#include <cassert>
#include <iterator>

namespace llm {

double StepTimes::at(Index length) const {
  assert(!speeds_.empty());
  const auto after = speeds_.lower_bound(length);
  if (after == speeds_.begin()) return work_(length) / after->second;
  const auto before = std::prev(after);
  if (after == speeds_.end()) return work_(length) / before->second;
  const double way =
      static_cast<double>(length - before->first) / static_cast<double>(after->first - before->first);
  return work_(length) / (before->second + way * (after->second - before->second));
}

double StepTimes::sum(Index first, Index count) const {
  double seconds = 0;
  for (Index i = 0; i < count; ++i) seconds += at(first + i);
  return seconds;
}

}  // namespace llm
