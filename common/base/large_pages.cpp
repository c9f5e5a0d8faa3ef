#include "common/base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace llm {

void prefer_large_pages(void* data, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kPage = 2 << 20;
  const auto first = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = (first + kPage - 1) / kPage * kPage, end = (first + bytes) / kPage * kPage;
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
  (void)data, (void)bytes;
#endif
}

}  // namespace llm
