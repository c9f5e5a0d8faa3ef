// The team of threads: every piece of work once, whatever happens.
#include "chapters/05_fused_cpu/thread_team.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common/base/error.h"
#include "common/base/parallel.h"

namespace llm {
namespace {

// How often body ran for each i; -1 if a thread's number was wrong.
Index wrong_counts(ThreadTeam& team, Index count) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
  std::atomic<bool> wrong_thread = false;
  team.run(count, [&](Index i, int thread) {
    ++seen[static_cast<std::size_t>(i)];
    if (thread < 0 || thread >= team.num_threads()) wrong_thread = true;
  });
  Index wrong = wrong_thread ? 1 : 0;
  for (const auto& times : seen) wrong += times != 1;
  return wrong;
}

TEST_CASE("each piece of work is done once, in thousands of rounds") {
  for (int threads = 1; threads <= 8; ++threads) {
    ThreadTeam team(threads);
    CHECK(team.num_threads() == threads);
    Index wrong = 0;
    for (int round = 0; round < 500; ++round)
      for (const Index count : {0, 1, 2, 7}) wrong += wrong_counts(team, count);
    for (int round = 0; round < 20; ++round) wrong += wrong_counts(team, 1000);
    CAPTURE(threads);
    CHECK(wrong == 0);
  }
}

TEST_CASE(
    "what the threads wrote is there when run() returns; what was written before is there in the body") {
  ThreadTeam team(3);
  std::vector<Index> numbers(100, 0);
  for (Index round = 1; round <= 2000; ++round) {
    team.run(100, [&](Index i, int) {
      Index& number = numbers[static_cast<std::size_t>(i)];
      if (number == round - 1) number = round;
    });
    bool all = true;
    for (const Index number : numbers) all = all && number == round;
    REQUIRE(all);
  }
}

TEST_CASE("no two threads have the same number at the same time") {
  ThreadTeam team(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<bool> wrong = false;
  for (int round = 0; round < 300; ++round)
    team.run(16, [&](Index, int thread) {
      auto& count = inside[static_cast<std::size_t>(thread)];
      if (++count != 1) wrong = true;
      --count;
    });
  CHECK_FALSE(wrong);
}

TEST_CASE("an exception comes back to the caller, and the team goes on") {
  for (const int threads : {1, 2, 5}) {
    ThreadTeam team(threads);
    for (int round = 0; round < 200; ++round) {
      const Index bad = round % 23;
      CHECK_THROWS_WITH(team.run(23,
                                 [&](Index i, int) {
                                   if (i == bad) throw std::runtime_error("piece " + std::to_string(i));
                                 }),
                        ("piece " + std::to_string(bad)).c_str());
      CHECK(wrong_counts(team, 23) == 0);
    }
    // Of several only one.
    CHECK_THROWS_AS(team.run(40, [](Index, int) { throw std::runtime_error("each"); }), std::runtime_error);
    CHECK(wrong_counts(team, 40) == 0);
    // The errors of the course keep their kind.
    CHECK_THROWS_AS(team.run(3, [](Index, int) { fail(ErrorCode::kRange, {.what = "no"}); }), Error);
  }
}

TEST_CASE("threads that have gone to sleep wake up") {
  ThreadTeam team(4);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(wrong_counts(team, 7) == 0);
  }
  // All four are at work at once: each waits for the others.
  std::atomic<int> here = 0;
  team.run(4, [&](Index, int) {
    ++here;
    const auto begin = std::chrono::steady_clock::now();
    while (here < 4 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20))
      std::this_thread::yield();
  });
  CHECK(here == 4);
}

TEST_CASE("a thread that is held up holds up nobody else") {
  ThreadTeam team(2);
  std::atomic<int> done = 0;
  std::atomic<bool> helped = false;
  team.run(100, [&](Index i, int) {
    ++done;
    if (i != 0) return;
    const auto begin = std::chrono::steady_clock::now();
    while (done < 100 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20))
      std::this_thread::yield();
    helped = done == 100;
  });
  CHECK(helped);
}

TEST_CASE("teams come and go, beside each other and within each other's work") {
  for (int round = 0; round < 100; ++round) {
    ThreadTeam idle(3);  // never asked
    ThreadTeam first(2), second(3);
    CHECK(wrong_counts(first, 5) == 0);
    CHECK(wrong_counts(second, 5) == 0);
    std::atomic<Index> wrong = 0;
    first.run(2, [&](Index, int) {
      ThreadTeam inner(2);
      wrong += wrong_counts(inner, 9);
    });
    CHECK(wrong == 0);
  }
  {
    const ThreadTeam asleep(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TEST_CASE("a number of threads that cannot be is an error") {
  for (const int threads : {0, -1, kMaxThreads + 1, 10'000})
    CHECK_THROWS_WITH_AS(
        ThreadTeam{threads},
        ("--threads: number of threads " + std::to_string(threads) + ", expected 1 to 1024").c_str(), Error);
}

}  // namespace
}  // namespace llm
