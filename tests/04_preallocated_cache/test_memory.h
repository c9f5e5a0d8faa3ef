// Memory for caches that a test can look into.
#pragma once

#include <cstring>

#include "common/seams/kv_memory.h"

namespace llm::test {

// Every byte is 0xff before it is written: NaN as float32, bfloat16 and float16, and as a scale. Counts what
// is asked for.
class TestMemory : public KvMemory {
 public:
  Index allocations = 0;
  Index bytes = 0;       // in use
  Index most_left = -1;  // allocations that still succeed; negative: any number

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (most_left == 0) throw std::bad_alloc();
    if (most_left > 0) --most_left;
    void* data = main_memory()->allocate(size, alignment);
    std::memset(data, 0xff, size);
    ++allocations;
    bytes += static_cast<Index>(size);
    return data;
  }
  void do_deallocate(void* data, std::size_t size, std::size_t alignment) override {
    std::memset(data, 0xff, size);  // whoever still looks at it sees NaN
    bytes -= static_cast<Index>(size);
    main_memory()->deallocate(data, size, alignment);
  }
  bool do_is_equal(const KvMemory& other) const noexcept override { return this == &other; }
};

}  // namespace llm::test
