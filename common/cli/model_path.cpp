#include "common/cli/model_path.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "common/base/error.h"
#include "common/config/known_shapes.h"
#include "common/io/near_match.h"

namespace llm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRandomPrefix = "random:";

// data/models and models in every folder from `start` upwards.
void add_model_folders(const fs::path& start, std::vector<fs::path>& folders) {
  std::error_code error;
  for (fs::path at = start; !at.empty(); at = at.parent_path()) {
    for (const fs::path& folder : {at / "data" / "models", at / "models"})
      if (fs::is_directory(folder, error) && !std::ranges::count(folders, folder)) folders.push_back(folder);
    if (at == at.parent_path()) break;
  }
}

std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  add_model_folders(fs::current_path(error), folders);
  add_model_folders(fs::read_symlink("/proc/self/exe", error).parent_path(), folders);
  add_model_folders(LLM_SOURCE_DIR, folders);
  return folders;
}

// A folder with something of a model in it, or a GGUF file.
bool is_model(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return path.extension() == ".gguf";
  for (const char* file : {"config.json", "tokenizer.json"})
    if (fs::exists(path / file, error)) return true;
  return false;
}

}  // namespace

ModelSource find_model(std::string_view name) {
  if (name.starts_with(kRandomPrefix)) {
    const std::string shape(name.substr(kRandomPrefix.size()));
    random_config(shape);  // refuses an unknown one
    return {.random_name = shape};
  }
  std::error_code error;
  if (!name.empty()) {
    if (fs::exists(fs::path(name), error)) return {.path = fs::path(name)};
    for (const fs::path& folder : model_folders())
      for (const char* suffix : {"", ".gguf"})
        if (fs::path path = folder / (std::string(name) + suffix); is_model(path)) return {.path = path};
  }
  const std::vector<std::string> names = known_models();
  std::string list;
  for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
  const std::string nearest = near_match(name, names);
  fail(ErrorCode::kMissing,
       {.where = "--model",
        .what = "there is no model or folder",
        .got = "'" + std::string(name) + "'",
        .expected = (list.empty() ? "" : "one of " + list + ", ") + "a path, or random:qwen3-0.6b",
        .remedy = nearest.empty() ? "make model fetches SmolLM2" : "did you mean '" + nearest + "'?"});
}

std::vector<std::string> known_models() {
  std::set<std::string> names;
  std::error_code error;
  for (const fs::path& folder : model_folders())
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      if (is_model(entry.path()))
        names.insert(entry.is_directory(error) ? entry.path().filename() : entry.path().stem());
  return {names.begin(), names.end()};
}

}  // namespace llm
