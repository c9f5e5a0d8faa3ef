#include "common/base/large_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cstdint>
#include <fstream>
#include <string>

#include "common/base/checked.h"
#include "common/base/error.h"

namespace llm {
namespace {

constexpr std::uintptr_t kLargePage = 2 << 20;

std::uintptr_t round_down(std::uintptr_t address, std::uintptr_t page) { return address / page * page; }
std::uintptr_t round_up(std::uintptr_t address, std::uintptr_t page) {
  return round_down(address + page - 1, page);
}

std::uintptr_t page_size() { return static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)); }

[[noreturn]] void no_memory(const std::string& bytes) {
  fail(ErrorCode::kMemory, {.where = "weights", .what = "no memory for", .got = bytes});
}

}  // namespace

void prefer_large_pages(void* data, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  const auto first = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = round_up(first, kLargePage), end = round_down(first + bytes, kLargePage);
  if (begin < end) (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
  (void)data, (void)bytes;
#endif
}

bool large_pages_available() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");  // "always [madvise] never"
  std::string text;
  return std::getline(file, text) && text.find("[never]") == std::string::npos;
}

void release_pages(std::span<const std::byte> part) {
  const auto first = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t begin = round_up(first, page_size());
  const std::uintptr_t end = round_down(first + part.size(), page_size());
  if (begin < end) (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

Index LargeBlock::with_part(Index bytes, Index part) {
  std::optional<Index> sum = checked_add(bytes, part);
  if (sum) sum = checked_add(*sum, kAlignment - 1);
  if (!sum) no_memory("a part of " + std::to_string(part) + " bytes");
  return *sum / kAlignment * kAlignment;
}

// The system's mappings begin at any small page: one that is larger by a large page has an aligned part.
LargeBlock::LargeBlock(Index bytes) {
  constexpr auto kSpare = static_cast<Index>(kLargePage);
  const auto page = static_cast<Index>(page_size());
  const std::optional<Index> most = checked_add(bytes, page + kSpare);
  if (!most) no_memory(std::to_string(bytes) + " bytes");
  size_ = (bytes / page + 1) * page;
  const auto mapped = static_cast<std::size_t>(size_ + kSpare);
  void* const memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) no_memory(std::to_string(bytes) + " bytes");
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = round_up(first, kLargePage), end = begin + static_cast<std::size_t>(size_);
  if (first < begin) ::munmap(memory, begin - first);
  if (end < first + mapped) ::munmap(reinterpret_cast<void*>(end), first + mapped - end);
  data_ = reinterpret_cast<std::byte*>(begin);
  prefer_large_pages(data_, static_cast<std::size_t>(size_));
}

LargeBlock::~LargeBlock() { ::munmap(data_, static_cast<std::size_t>(size_)); }

std::byte* LargeBlock::take(Index bytes) {
  assert(bytes >= 0 && has_room(bytes));
  std::byte* const part = data_ + used_;
  used_ = with_part(used_, bytes);
  return part;
}

}  // namespace llm
