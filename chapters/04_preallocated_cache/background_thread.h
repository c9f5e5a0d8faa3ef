// One thread that does small tasks beside the computation, in the order in which they come.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace llm {

class BackgroundThread {
 public:
  BackgroundThread();
  ~BackgroundThread();  // after the tasks that there are
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

  // The future is ready when the task has ended, and holds what it threw.
  std::future<void> run(std::function<void()> task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> tasks_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace llm
