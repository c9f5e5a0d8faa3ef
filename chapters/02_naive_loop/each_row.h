// Work that is done row by row.
#pragma once

#include "common/base/parallel.h"

namespace llm {

// Waking the threads costs some microseconds: less than this many numbers are better worked on by one.
inline constexpr Index kTooSmallToShare = 8192;

// body(n) for each row n; row_size: the numbers that one call works on.
inline void each_row(Index rows, Index row_size, FunctionRef<void(Index)> body) {
  if (rows * row_size >= kTooSmallToShare) return parallel_for(rows, body);
  for (Index n = 0; n < rows; ++n) body(n);
}

}  // namespace llm
