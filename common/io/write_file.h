// How files are written: whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>

namespace llm {

// Calls write(stream) and puts what it wrote at `path`, in place of what was there. The stream leads to a new
// file beside it, which takes the name only when all is written; if anything fails, or write() throws, that
// file is removed and `path` is as before. Errors: kIo with the system's reason (no such folder, disk full).
void write_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace llm
