// Threads that stay: a forward pass hands them work several hundred times a second, and starting, or even
// waking, a thread each time would cost more than the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "common/base/function_ref.h"
#include "common/base/types.h"

namespace llm {

// The caller is the first thread of the team. Between two calls the others look for new work for some
// microseconds (a busy loop, the cheapest barrier there is) and then go to sleep, so that they do not keep
// cores from other programs. For one calling thread at a time.
class ThreadTeam {
 public:
  // Errors: kRange unless 1 <= num_threads <= kMaxThreads.
  explicit ThreadTeam(int num_threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(i, thread) once for each i in [0, count); returns when all have ended. Each thread begins with
  // a share of its own, neighbours in memory where i counts rows, and then helps the others with what is left
  // of theirs: a thread that is held up holds up nobody else. So results must not depend on `thread`, which
  // only says whose scratch memory to use. The first exception is thrown again here; what had not begun by
  // then is left out.
  using Body = FunctionRef<void(Index i, int thread)>;
  void run(Index count, Body body);

 private:
  void work(int thread);
  bool enter();
  void take_turns(int thread);

  struct alignas(64) Share {  // a cache line each: they are written by different threads
    std::atomic<Index> next{0};
    Index end = 0;
  };

  // The work at hand. Written while all others wait for `round_`.
  const Body* body_ = nullptr;
  std::vector<Share> shares_;  // one a thread
  std::exception_ptr first_error_;
  std::mutex error_mutex_;

  alignas(64) std::atomic<std::uint32_t> round_{0};  // goes up when there is new work
  // Whether there still is work, and how many threads, the caller apart, are at it. One that the system wakes
  // too late finds it closed, and nobody has waited for it.
  static constexpr std::uint32_t kOpen = 1, kOneInside = 2;
  alignas(64) std::atomic<std::uint32_t> gate_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
};

}  // namespace llm
