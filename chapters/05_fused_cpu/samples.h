// Repeated measurements: what they say when the machine is not alone.
#pragma once

#include <algorithm>
#include <vector>

#include "common/base/types.h"

namespace llm {

// Any number of measurements of one thing, in any unit.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  void add(const Samples& others) {
    values_.insert(values_.end(), others.values_.begin(), others.values_.end());
  }
  double last() const { return values_.back(); }
  Index count() const { return static_cast<Index>(values_.size()); }
  bool empty() const { return values_.empty(); }

  // Of at least one measurement. The median of an even number is the mean of the two in the middle.
  double min() const { return *std::min_element(values_.begin(), values_.end()); }
  double max() const { return *std::max_element(values_.begin(), values_.end()); }
  double median() const {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

 private:
  std::vector<double> values_;
};

}  // namespace llm
