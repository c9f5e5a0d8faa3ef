// Whether something is there, without an exception where the system does not say.
#pragma once

#include <filesystem>
#include <system_error>

namespace llm {

// True for a file or a folder of that name; false also where it may not be looked at.
inline bool path_exists(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace llm
