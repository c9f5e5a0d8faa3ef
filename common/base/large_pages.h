// Memory in pages of 2 MiB instead of 4 KiB, where the system has them.
#pragma once

#include <cstddef>
#include <span>

#include "common/base/types.h"

namespace llm {

// Asks the system to back as much of [data, data + bytes) as it can by large pages. A table of 4 KiB pages
// for a gigabyte of weights is itself megabytes, and looking a page up there costs as much as reading from
// it. Before the memory is first written; no effect on what is read, nor where there are no such pages.
void prefer_large_pages(void* data, std::size_t bytes);

// Whether the system has large pages for those who ask. Those of a mapped file are small ones all the same.
bool large_pages_available();

// Gives the whole pages inside this part of a mapping back to the system: a file's are read again when they
// are touched, others are zeros then.
void release_pages(std::span<const std::byte> part);

// The owner of memory that is handed out in parts, one behind the other: a model's weights, of which most
// are too small to fill a large page each. Memory that nobody has written to takes no room.
class LargeBlock {
 public:
  static constexpr Index kAlignment = 64;  // of each part: a cache line

  // The bytes of a block for `bytes` and behind them one more part. Errors: kMemory if no Index holds them.
  static Index with_part(Index bytes, Index part);

  // The memory is zeros. Errors: kMemory when there is less.
  explicit LargeBlock(Index bytes);
  ~LargeBlock();
  LargeBlock(const LargeBlock&) = delete;
  LargeBlock& operator=(const LargeBlock&) = delete;

  bool has_room(Index bytes) const { return bytes <= size_ - used_; }
  // The next part. It must fit: see with_part().
  std::byte* take(Index bytes);

  // Says that nobody needs this part's bytes any more.
  void release(std::span<const std::byte> part) { release_pages(part); }

 private:
  std::byte* data_ = nullptr;
  Index size_ = 0;  // whole pages
  Index used_ = 0;
};

}  // namespace llm
