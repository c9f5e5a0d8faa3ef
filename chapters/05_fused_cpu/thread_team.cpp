#include "chapters/05_fused_cpu/thread_team.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/error.h"
#include "common/base/parallel.h"

namespace llm {
namespace {

// About 20 microseconds of looking before a thread goes to sleep: longer than the caller's own work between
// two calls, shorter than what another program would notice.
constexpr int kLooks = 1000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Returns when `value` is no longer `old`.
void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int look = 0; look < kLooks; ++look) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(int num_threads) : shares_(static_cast<std::size_t>(std::max(num_threads, 1))) {
  if (num_threads < 1 || num_threads > kMaxThreads)
    fail(ErrorCode::kRange, {.where = "--threads",
                             .what = "number of threads",
                             .got = std::to_string(num_threads),
                             .expected = "1 to " + std::to_string(kMaxThreads)});
  for (int thread = 1; thread < num_threads; ++thread)
    workers_.emplace_back([this, thread] { work(thread); });
}

ThreadTeam::~ThreadTeam() {
  stop_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::work(int thread) {
  for (std::uint32_t seen = 0;;) {
    wait_while(round_, seen);
    seen = round_.load(std::memory_order_acquire);
    if (stop_) return;
    if (!enter()) continue;  // too late: the work is done
    take_turns(thread);
    if (gate_.fetch_sub(kOneInside, std::memory_order_acq_rel) == kOneInside) gate_.notify_one();
  }
}

bool ThreadTeam::enter() {
  std::uint32_t gate = gate_.load(std::memory_order_acquire);
  while ((gate & kOpen) != 0)
    if (gate_.compare_exchange_weak(gate, gate + kOneInside, std::memory_order_acq_rel)) return true;
  return false;
}

// --8<-- [start:take_turns]
void ThreadTeam::take_turns(int thread) {
  try {
    const int threads = num_threads();
    for (int other = 0; other < threads; ++other) {  // its own share first
      Share& share = shares_[static_cast<std::size_t>((thread + other) % threads)];
      for (Index i; (i = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;)
        (*body_)(i, thread);
    }
  } catch (...) {
    for (Share& share : shares_) share.next = share.end;
    const std::lock_guard lock(error_mutex_);
    if (!first_error_) first_error_ = std::current_exception();
  }
}
// --8<-- [end:take_turns]

void ThreadTeam::run(Index count, Body body) {
  body_ = &body;
  const int threads = num_threads();
  // --8<-- [start:ex05-1]
  for (int t = 0; t < threads; ++t) {
    Share& share = shares_[static_cast<std::size_t>(t)];
    share.next = count * t / threads;
    share.end = count * (t + 1) / threads;
  }
  // --8<-- [end:ex05-1]
  const bool share = count > 1 && !workers_.empty();
  if (share) {
    gate_.store(kOpen, std::memory_order_release);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  take_turns(0);
  if (share) {  // whoever has not come by now is not waited for
    gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
    for (std::uint32_t gate; (gate = gate_.load(std::memory_order_acquire)) != 0;) wait_while(gate_, gate);
  }
  if (first_error_) std::rethrow_exception(std::exchange(first_error_, nullptr));
}

}  // namespace llm
