#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "chapters/05_fused_cpu/thread_team.h"
#include "tests/course/exercises/05_fused_cpu/noise.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Times = std::vector<int>;

// How often each index was handed out, and how many calls had an index that is not there.
struct Calls {
  Times times;
  Index strays = 0;
};

Calls counted(int num_threads, Index count) {
  ThreadTeam team(num_threads);
  std::vector<std::atomic<int>> times(static_cast<std::size_t>(count));
  std::atomic<Index> strays = 0;
  team.run(count, [&](Index i, int) {
    if (i < 0 || i >= count) {
      ++strays;
    } else {
      ++times[static_cast<std::size_t>(i)];
    }
  });
  Calls calls{.times = {}, .strays = strays};
  for (const std::atomic<int>& time : times) calls.times.push_back(time);
  return calls;
}

// With shares of count / num_threads for everybody, and nobody for the rest.
Times without_remainder(int num_threads, Index count) {
  Times times(static_cast<std::size_t>(count), 1);
  const Index handed_out = count - count % num_threads;
  std::fill(times.begin() + handed_out, times.end(), 0);
  return times;
}

// The sizes of the shares, in order of size. The first index that a thread gets is the first one of its
// share, if each waits until all of them have theirs.
std::vector<Index> share_sizes(int num_threads, Index count) {
  ThreadTeam team(num_threads);
  std::vector<Index> begins;
  std::vector<char> seen(static_cast<std::size_t>(num_threads));
  std::mutex mutex;
  std::condition_variable all_here;
  team.run(count, [&](Index i, int thread) {
    std::unique_lock lock(mutex);
    if (std::exchange(seen[static_cast<std::size_t>(thread)], 1)) return;
    begins.push_back(i);
    all_here.notify_all();
    all_here.wait_for(lock, std::chrono::seconds(3), [&] { return std::ssize(begins) == num_threads; });
  });
  std::sort(begins.begin(), begins.end());
  begins.push_back(count);
  std::vector<Index> sizes;
  for (std::size_t i = 1; i < begins.size(); ++i) sizes.push_back(begins[i] - begins[i - 1]);
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

TEST_CASE("every index once, for 1 to 8 threads") {
  for (int threads = 1; threads <= 8; ++threads)
    for (const Index count : {0, 1, 2, 3, 7, 8, 9, 64, 100, 1001}) {
      const Calls calls = counted(threads, count);
      const std::string what = std::to_string(count) + " indices, " + std::to_string(threads) + " threads: ";
      expect_true(
          what + std::to_string(calls.strays) + " calls had an index that is not there", calls.strays == 0,
          "shares go beyond the last index: count / threads, rounded up, times threads is more than count");
      expect_equal(
          what + "how often each was handed out", calls.times, Times(static_cast<std::size_t>(count), 1),
          {{without_remainder(threads, count), "the remainder of count / threads was handed out to nobody"},
           {Times(static_cast<std::size_t>(count), threads),
            "every thread was given all of the work, not a share of it"}});
    }
}

TEST_CASE("no share is more than one larger than another") {
  expect_equal<std::vector<Index>>(
      "the sizes of the shares of 4 threads, 11 indices", share_sizes(4, 11), {2, 3, 3, 3},
      {{{2, 2, 2, 5}, "one thread got the whole remainder: the others wait until it has worked that off"}});
  expect_equal<std::vector<Index>>(
      "the sizes of the shares of 4 threads, 10 indices", share_sizes(4, 10), {2, 2, 3, 3},
      {{{1, 3, 3, 3}, "all shares were rounded up, and the last thread got what was left of the work"}});
}

TEST_CASE("the same bits for 1 to 8 threads") {
  constexpr Index kRows = 37, kSize = 53;
  const Tensor<float, 2> weights = noise_tensor<2>({kRows, kSize}, 1), x = noise_tensor<2>({1, kSize}, 2);
  const auto product = [&](int threads) {
    ThreadTeam team(threads);
    std::vector<float> out(kRows, 0.1f);
    team.run(kRows, [&](Index row, int) {
      float& sum = out[static_cast<std::size_t>(row)];
      for (Index i = 0; i < kSize; ++i) sum += weights.view()(row, i) * x.view()(0, i);
    });
    return out;
  };
  const std::vector<float> one = product(1);
  for (int threads = 2; threads <= 8; ++threads)
    expect_equal("a product with " + std::to_string(threads) + " threads", product(threads), one);
}

}  // namespace
}  // namespace llm::grading
