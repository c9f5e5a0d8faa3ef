#include "common/base/parallel.h"

#include <omp.h>

#include <exception>
#include <string>

#include "common/base/error.h"

namespace llm {
namespace {

int g_threads = 0;  // 0: not chosen yet

}  // namespace

int num_threads() { return g_threads > 0 ? g_threads : omp_get_num_procs(); }

void set_num_threads(int threads) {
  if (threads < 1 || threads > kMaxThreads) {
    fail(ErrorCode::kRange, {.where = "--threads",
                             .what = "number of threads",
                             .got = std::to_string(threads),
                             .expected = "1 to " + std::to_string(kMaxThreads)});
  }
  g_threads = threads;
}

void parallel_for(Index count, FunctionRef<void(Index)> body) {
  const bool serial = count <= 1 || num_threads() == 1 || omp_in_parallel();
  if (serial) {
    for (Index i = 0; i < count; ++i) body(i);
    return;
  }
  std::exception_ptr first;
#pragma omp parallel for schedule(static) num_threads(num_threads())
  for (Index i = 0; i < count; ++i) {
    try {
      body(i);
    } catch (...) {
#pragma omp critical(llm_parallel_for_error)
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace llm
