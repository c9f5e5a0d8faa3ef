// Where the memory of a cache comes from: main memory, a file that is mapped (chapter 04's offloaded cache),
// or a test that counts and poisons.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>
#include <string>
#include <utility>

#include "common/base/error.h"
#include "common/base/types.h"

namespace llm {

// The standard library's interface for that.
using KvMemory = std::pmr::memory_resource;
inline KvMemory* main_memory() { return std::pmr::new_delete_resource(); }

// Owns uninitialised bytes, 64-byte aligned. Move-only.
class KvBuffer {
 public:
  KvBuffer() = default;

  // memory: outlives the buffer. Errors: kMemory if there is not as much; those of `memory`.
  explicit KvBuffer(Index bytes, KvMemory* memory = main_memory()) : bytes_(bytes), memory_(memory) {
    if (bytes == 0) return;
    try {
      data_ = static_cast<std::byte*>(memory->allocate(static_cast<std::size_t>(bytes), kAlignment));
    } catch (const std::bad_alloc&) {
      fail(ErrorCode::kMemory, {.where = "cache",
                                .what = "no memory for",
                                .got = std::to_string(bytes) + " bytes of keys and values",
                                .remedy = "allow fewer tokens, or keep them as int8 or offloaded"});
    }
  }

  KvBuffer(KvBuffer&& other) noexcept { swap(other); }
  KvBuffer& operator=(KvBuffer&& other) noexcept {
    KvBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~KvBuffer() {
    if (data_ != nullptr) memory_->deallocate(data_, static_cast<std::size_t>(bytes_), kAlignment);
  }

  std::byte* data() const { return data_; }
  Index bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kAlignment = 64;

  void swap(KvBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(memory_, other.memory_);
  }

  std::byte* data_ = nullptr;
  Index bytes_ = 0;
  KvMemory* memory_ = nullptr;
};

}  // namespace llm
