// What --model may say.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

// A folder, a GGUF file, or a random model of a known shape.
struct ModelSource {
  std::filesystem::path path = {};  // empty for a random model
  std::string random_name = {};     // "qwen3-0.6b", or empty

  bool is_random() const { return !random_name.empty(); }
};

// `name` is a path; or the name of a folder in data/models/ or models/ ("storyteller"), looked for from the
// working directory and from the program's own folder upwards, then in the source tree; or "random:SHAPE".
// Errors: kMissing, with the names that there are; kUsage for an unknown shape.
ModelSource find_model(std::string_view name);

// The names that find_model knows without a path, sorted.
std::vector<std::string> known_models();

}  // namespace llm
