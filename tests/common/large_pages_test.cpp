#include "common/base/large_pages.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "common/base/error.h"
#include "common/base/timing.h"

namespace llm {
namespace {

bool all_are(const std::byte* data, Index bytes, int value) {
  return std::all_of(data, data + bytes, [&](std::byte byte) { return byte == std::byte(value); });
}

TEST_CASE("a block hands out its memory part by part: zeros, aligned, none on top of another") {
  const std::vector<Index> sizes = {1, 0, 63, 64, 65, 5'000'000, 7};
  Index total = 0;
  for (const Index size : sizes) total = LargeBlock::with_part(total, size);
  CHECK(total == 64 + 0 + 64 + 64 + 128 + 5'000'000 + 64);
  LargeBlock block(total);
  std::vector<std::byte*> parts;
  for (const Index size : sizes) {
    parts.push_back(block.take(size));
    CHECK(reinterpret_cast<std::uintptr_t>(parts.back()) % 64 == 0);
    CHECK(all_are(parts.back(), size, 0));
    std::fill_n(parts.back(), size, std::byte(parts.size()));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) CHECK(all_are(parts[i], sizes[i], static_cast<int>(i) + 1));
  CHECK(parts[6] - parts[0] == total - 64);  // side by side
  CHECK(LargeBlock(0).take(0) != nullptr);
}

TEST_CASE("memory that is released goes back to the system; its neighbours stay") {
  constexpr Index kSize = Index{40} << 20, kEdge = 100'001;
  LargeBlock block(kSize);
  std::byte* const data = block.take(kSize);
  const Index before = resident_bytes();
  std::fill_n(data, kSize, std::byte(3));
  const Index full = resident_bytes();
  CHECK(full - before > kSize * 9 / 10);
  block.release({data + kEdge, static_cast<std::size_t>(kSize - 2 * kEdge)});
  CHECK(full - resident_bytes() > kSize * 9 / 10);
  CHECK(all_are(data, kEdge, 3));
  CHECK(all_are(data + kSize - kEdge, kEdge, 3));
  block.release({data + 5, 10});  // less than a page
  CHECK(all_are(data, kEdge, 3));
}

TEST_CASE("more memory than there is, is an error") {
  CHECK_THROWS_AS(LargeBlock(Index{1} << 60), Error);
  CHECK_THROWS_AS(LargeBlock(INT64_MAX), Error);
  CHECK_THROWS_AS(LargeBlock::with_part(Index{1} << 62, Index{1} << 62), Error);
  CHECK_THROWS_AS(LargeBlock::with_part(0, INT64_MAX), Error);
}

}  // namespace
}  // namespace llm
