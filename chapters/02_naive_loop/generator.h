// A generator: a function that hands out one value after the other, and pauses in between. C++23 has it as
// std::generator; in C++20 one writes the few lines oneself.
#pragma once

#include <coroutine>
#include <exception>
#include <iterator>
#include <utility>

namespace llm {

//   Generator<int> count() { for (int i = 0;; ++i) co_yield i; }
//   for (const int i : count()) if (i == 3) break;
//
// Nothing runs before the first value is asked for, and nothing more after the last one that is. Give such a
// function its arguments by value: it lives longer than the expression that called it.
template <class T>
class Generator {
 public:
  struct promise_type {
    const T* value = nullptr;
    std::exception_ptr error;

    Generator get_return_object() { return Generator(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() { return {}; }         // start paused
    std::suspend_always final_suspend() noexcept { return {}; }  // stay readable at the end
    std::suspend_always yield_value(const T& item) {             // co_yield: show the value and pause
      value = &item;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };

  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = T;
    explicit Iterator(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

    const T& operator*() const { return *handle_.promise().value; }
    Iterator& operator++() {
      resume(handle_);
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return handle_.done(); }

   private:
    std::coroutine_handle<promise_type> handle_;
  };

  Generator(Generator&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Generator& operator=(Generator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Generator() {
    if (handle_) handle_.destroy();  // wherever it paused, its variables are destroyed
  }

  // Runs to the first value. An exception in the function comes out here or of ++.
  Iterator begin() {
    resume(handle_);
    return Iterator(handle_);
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Generator(Handle handle) : handle_(handle) {}

  static void resume(Handle handle) {
    handle.resume();
    if (handle.promise().error) std::rethrow_exception(handle.promise().error);
  }

  Handle handle_;
};

}  // namespace llm
