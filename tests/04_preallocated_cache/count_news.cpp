#include "tests/04_preallocated_cache/count_news.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> news = 0;
}  // namespace

namespace llm::test {
long count_news() { return news; }
}  // namespace llm::test

void* operator new(std::size_t size) {
  ++news;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++news;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
