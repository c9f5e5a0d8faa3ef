// Memory for kernels that must not read or write beyond its end.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <span>

#include "common/base/types.h"

namespace llm::test {

// `count` values that end where a page begins that may not be touched: a kernel that reads one byte too many
// ends the program, in every kind of build. All bytes, and those before the values, are 0xff at first (NaN as
// a float of any size).
template <class T>
class Guarded {
 public:
  explicit Guarded(Index count) : count_(count) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    inside_ = (bytes / page + 1) * page;
    memory_ = mmap(nullptr, inside_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    mapped_ = inside_ + page;
    std::byte* end = static_cast<std::byte*>(memory_) + inside_;
    mprotect(end, page, PROT_NONE);
    std::memset(memory_, 0xff, inside_);
    data_ = reinterpret_cast<T*>(end - bytes);
  }
  ~Guarded() { munmap(memory_, mapped_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  Index size() const { return count_; }
  T* data() const { return data_; }
  T* end() const { return data_ + count_; }
  T& operator[](Index i) const { return data_[i]; }
  std::span<T> all() const { return {data_, static_cast<std::size_t>(count_)}; }
  void poison() const { std::memset(memory_, 0xff, inside_); }

 private:
  Index count_;
  std::size_t inside_ = 0, mapped_ = 0;
  void* memory_ = nullptr;
  T* data_ = nullptr;
};

}  // namespace llm::test
