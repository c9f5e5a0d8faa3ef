// Memory for a cache that lies in files without a name, so that it need not be in main memory all the time.
#pragma once

#include <filesystem>
#include <vector>

#include "common/seams/kv_memory.h"

namespace llm {

// Every piece is a temporary file of its own, mapped. The file has no name in any folder (O_TMPFILE, or
// removed as soon as it is open), so that nothing is left behind however the program ends. Its space on the
// disk is there before the piece is (posix_fallocate): a full disk is an Error, not a signal in mid-air.
class FileMemory : public KvMemory {
 public:
  // folder: where the files are. The default: TMPDIR, or else /var/tmp, which unlike /tmp is on a disk on
  // every system.
  explicit FileMemory(std::filesystem::path folder = default_folder()) : folder_(std::move(folder)) {}

  static std::filesystem::path default_folder();

  // Takes all pieces out of this process's memory; what they hold stays in the files. The operating system
  // keeps the pages as long as it has memory to spare, and fetches them when they are touched again.
  void evict() const;
  // Fetches them before they are touched, and returns when they are there. May run in another thread; only
  // not while a piece is made or given back.
  void load() const;

 private:
  // Errors: kIo, with the folder and the size, if the disk is full or the folder is not there.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* piece, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const KvMemory& other) const noexcept override { return this == &other; }

  struct Piece {
    void* data;
    std::size_t bytes;
  };
  std::filesystem::path folder_;
  std::vector<Piece> pieces_;
};

}  // namespace llm
