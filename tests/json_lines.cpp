#include "tests/json_lines.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace llm {
namespace {

std::vector<Json> parse_lines(std::istream& in, const std::string& where) {
  std::vector<Json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(parse_json(line, where));
  return lines;
}

}  // namespace

std::vector<Json> read_json_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  return parse_lines(file, path.filename().string());
}

std::string to_json_lines(const std::vector<Json>& values) {
  std::string lines;
  for (const Json& value : values) lines += value.dump() + "\n";
  return lines;
}

Served serve_lines(const std::string& requests,
                   const std::function<int(std::istream& in, std::ostream& out)>& serve) {
  std::istringstream in(requests);
  std::stringstream out;
  const int status = serve(in, out);
  return {status, parse_lines(out, "answer")};
}

}  // namespace llm
