// The course's threads. Work is split over outputs only, so results do not depend on their number.
#pragma once

#include "common/base/function_ref.h"
#include "common/base/types.h"

namespace llm {

inline constexpr int kMaxThreads = 1024;

// The number of threads that parallel_for uses: at first the processors that this process may use.
// Errors: kRange outside [1, kMaxThreads].
int num_threads();
void set_num_threads(int threads);

// Calls body(i) once for each i in [0, count), spread over the threads in contiguous pieces.
// The first exception stops nothing that already runs; it is thrown again here when all have ended.
// A call from inside a body runs serially.
void parallel_for(Index count, FunctionRef<void(Index)> body);

}  // namespace llm
