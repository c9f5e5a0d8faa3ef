// How long steps take at lengths where nobody measured them.
#pragma once

#include <functional>
#include <map>

#include "common/base/types.h"

namespace llm {

// work(length): what a step does when that many tokens are there, in any unit: bytes that it reads, or
// operations. Between two measured lengths the speed (work a second) changes evenly; outside it stays.
class StepTimes {
 public:
  explicit StepTimes(std::function<double(Index length)> work) : work_(std::move(work)) {}

  // A measured step. seconds > 0.
  void add(Index length, double seconds) { speeds_[length] = work_(length) / seconds; }

  // Seconds of one step; of steps at the lengths first, first + 1, ... At least one was added.
  double at(Index length) const;
  double sum(Index first, Index count) const;

 private:
  std::function<double(Index)> work_;
  std::map<Index, double> speeds_;
};

}  // namespace llm
