#include "common/io/write_file.h"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "common/base/error.h"

namespace llm {
namespace {

// Removes the unfinished file unless it was given its name.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~UnfinishedFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  void rename_to(const std::filesystem::path& target) {
    std::filesystem::rename(path_, target);
    path_.clear();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

void write_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write) {
  const auto fail_here = [&](const std::string& reason) {
    fail(ErrorCode::kIo, {.where = path.string(), .what = "cannot be written: " + reason});
  };
  if (std::filesystem::is_directory(path)) fail_here("it is a folder");
  UnfinishedFile unfinished(path.string() + ".unfinished-" + std::to_string(getpid()));
  std::ofstream file(unfinished.path(), std::ios::binary);
  if (!file) fail_here(std::generic_category().message(errno));
  write(file);
  file.close();
  if (!file) fail_here(std::generic_category().message(errno));
  try {
    unfinished.rename_to(path);
  } catch (const std::filesystem::filesystem_error& error) {
    fail_here(error.code().message());
  }
}

}  // namespace llm
