// Wall-clock time and memory of this process.
#pragma once

#include <chrono>

#include "common/base/types.h"

namespace llm {

// Seconds since construction or the last reset().
class Stopwatch {
 public:
  void reset() { start_ = Clock::now(); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// Resident memory now and at its highest, in bytes; 0 where the system does not tell.
Index resident_bytes();
Index peak_resident_bytes();

}  // namespace llm
