#include "common/io/mapped_file.h"

#include <doctest/doctest.h>

#include "common/base/error.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

ErrorCode code_of(const std::filesystem::path& path) {
  try {
    const MappedFile file(path);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with(path.string()));
    return error.code();
  }
  FAIL("no error");
  return {};
}

TEST_CASE("a mapped file has the file's bytes, also after some were released") {
  const TempFolder folder;
  std::string bytes;
  for (Index i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * i % 251);
  const MappedFile file(folder.write("a.bin", bytes));
  CHECK(file.size() == 100'000);
  CHECK(file.text() == bytes);
  file.release(file.bytes().subspan(1, 99'990));
  file.release(file.bytes().subspan(5, 3));
  CHECK(file.text() == bytes);
}

TEST_CASE("what cannot be mapped is a clear error") {
  const TempFolder folder;
  CHECK(code_of(folder.path() / "nothing") == ErrorCode::kMissing);
  CHECK(code_of(folder.write("file", "x") / "below") == ErrorCode::kMissing);
  CHECK(code_of(folder.path()) == ErrorCode::kIo);
  CHECK(code_of(folder.write("empty", "")) == ErrorCode::kFormat);
  CHECK(code_of("/dev/null") == ErrorCode::kIo);
  const auto secret = folder.write("secret", "x");
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  if (::geteuid() != 0) CHECK(code_of(secret) == ErrorCode::kIo);  // root may read everything
}

}  // namespace
}  // namespace llm
