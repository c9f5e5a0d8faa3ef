#include "common/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "common/base/error.h"
#include "common/base/large_pages.h"

namespace llm {
namespace {

std::string system_text(int error) { return std::generic_category().message(error); }

[[noreturn]] void cannot_open(const std::string& name, int error) {
  if (error == ENOENT || error == ENOTDIR) fail(ErrorCode::kMissing, {.where = name, .what = "no such file"});
  fail(ErrorCode::kIo, {.where = name, .what = "cannot be read: " + system_text(error)});
}

// The file descriptor closes at the end of the constructor below: a mapping does not need it.
struct Descriptor {
  int number;
  ~Descriptor() { ::close(number); }
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : name_(path.string()) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) cannot_open(name_, errno);
  struct stat status {};
  if (::fstat(file.number, &status) != 0) cannot_open(name_, errno);
  if (S_ISDIR(status.st_mode)) fail(ErrorCode::kIo, {.where = name_, .what = "is a folder, expected a file"});
  if (!S_ISREG(status.st_mode)) fail(ErrorCode::kIo, {.where = name_, .what = "is not a regular file"});
  size_ = status.st_size;
  if (size_ == 0) fail(ErrorCode::kFormat, {.where = name_, .what = "the file is empty"});
  void* data = ::mmap(nullptr, static_cast<std::size_t>(size_), PROT_READ, MAP_PRIVATE, file.number, 0);
  if (data == MAP_FAILED) cannot_open(name_, errno);
  data_ = static_cast<const std::byte*>(data);
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(data_), static_cast<std::size_t>(size_)); }

void MappedFile::release(std::span<const std::byte> part) const { release_pages(part); }

}  // namespace llm
