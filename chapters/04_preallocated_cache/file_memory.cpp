#include "chapters/04_preallocated_cache/file_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "common/io/path_exists.h"

namespace llm {
namespace {

[[noreturn]] void fail_io(const std::filesystem::path& folder, const std::string& what, int error) {
  fail(ErrorCode::kIo, {.where = "offloaded cache: " + folder.string(),
                        .what = what,
                        .got = std::strerror(error),
                        .remedy = "set TMPDIR to a folder on a disk with room, or do not offload"});
}

// Closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

// A file without a name, or -1 with errno set.
int open_nameless(const std::filesystem::path& folder) {
#ifdef O_TMPFILE
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) return -1;
#endif
  std::string name = (folder / "next-token-cache-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

// Makes the file that long, with all of it on the disk. Returns 0 or the error's number.
int reserve(int file, std::size_t bytes) {
  rlimit limit = {};  // beyond it the operating system would end the program
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur)
    return EFBIG;
#ifdef __APPLE__  // has no posix_fallocate: the space is taken when it is written
  return ::ftruncate(file, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
#else
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  return error;
#endif
}

}  // namespace

std::filesystem::path FileMemory::default_folder() {
  if (const char* folder = std::getenv("TMPDIR"); folder != nullptr && *folder != '\0') return folder;
  return path_exists("/var/tmp") ? "/var/tmp" : "/tmp";
}

void* FileMemory::do_allocate(std::size_t bytes, [[maybe_unused]] std::size_t alignment) {
  assert(alignment <= 4096);  // a mapping begins with a page
  pieces_.reserve(pieces_.size() + 1);
  const Descriptor file(open_nameless(folder_));
  if (file.number() < 0) fail_io(folder_, "cannot make a temporary file there:", errno);
  if (const int error = reserve(file.number(), bytes); error != 0)
    fail_io(folder_, "no room for " + std::to_string(bytes) + " bytes of keys and values:", error);
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (data == MAP_FAILED) fail_io(folder_, "cannot map a temporary file:", errno);
  pieces_.push_back({data, bytes});
  return data;
}

void FileMemory::do_deallocate(void* piece, std::size_t bytes, std::size_t) {
  std::erase_if(pieces_, [piece](const Piece& one) { return one.data == piece; });
  ::munmap(piece, bytes);
}

void FileMemory::evict() const {
  for (const Piece& piece : pieces_) ::madvise(piece.data, piece.bytes, MADV_DONTNEED);
}

void FileMemory::load() const {
  for (const Piece& piece : pieces_) {
#ifdef MADV_POPULATE_READ
    if (::madvise(piece.data, piece.bytes, MADV_POPULATE_READ) == 0) continue;
#endif
    ::madvise(piece.data, piece.bytes, MADV_WILLNEED);  // older systems: only begins to read
  }
}

}  // namespace llm
