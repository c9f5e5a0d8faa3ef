// A file's bytes in memory without reading them: the operating system fetches the pages that are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "common/base/types.h"

namespace llm {

// A read-only mapping; the owner of its bytes.
class MappedFile {
 public:
  // Errors: kMissing when there is no such file, kIo for a folder, a device or a file that may not be read,
  // kFormat for an empty one.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // The path as it was given: what error messages call the file.
  const std::string& name() const { return name_; }
  Index size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, static_cast<std::size_t>(size_)}; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(data_), static_cast<std::size_t>(size_)};
  }

  // Says that nobody needs this part for now: its pages no longer count as this process's memory. They come
  // back when they are touched again.
  void release(std::span<const std::byte> part) const;

 private:
  std::string name_;
  const std::byte* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace llm
