// JSON lines in tests: files of cases, and requests with a program's answers.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "common/io/json.h"

namespace llm {

// Empty where there is no such file: say how many lines you expect.
std::vector<Json> read_json_lines(const std::filesystem::path& path);

std::string to_json_lines(const std::vector<Json>& values);

struct Served {
  int status = 0;
  std::vector<Json> answers;
};

// What serve(in, out) answers to the requests; it returns the exit status.
Served serve_lines(const std::string& requests,
                   const std::function<int(std::istream& in, std::ostream& out)>& serve);

}  // namespace llm
