#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "common/base/error.h"
#include "common/io/json.h"
#include "common/io/safetensors.h"

namespace llm {
namespace {

// A shard is a file inside the model's folder: no absolute path and no "..".
void check_shard_name(const JsonReader& field) {
  const std::filesystem::path path = field.string();
  const bool inside = !path.empty() && !path.has_root_path() && path.has_filename() &&
                      std::find(path.begin(), path.end(), "..") == path.end();
  if (!inside) field.fail_expected("the name of a file in the model's folder");
}

// tensor -> shard, and the shards in the order in which they are first named.
struct WeightMap {
  std::unordered_map<std::string, std::string> shard_of;
  std::vector<std::string> shards;
};

WeightMap read_weight_map(const JsonReader& index) {
  index.expect_object();
  const JsonReader map = index.at("weight_map");
  map.expect_object();
  WeightMap result;
  std::unordered_set<std::string> seen;
  for (const auto& [tensor, value] : map.json().items()) {
    const JsonReader shard(value, map.place() + ": '" + tensor + "'");
    shard.string();
    check_shard_name(shard);
    result.shard_of[tensor] = shard.string();
    if (seen.insert(shard.string()).second) result.shards.push_back(shard.string());
  }
  std::sort(result.shards.begin(), result.shards.end());
  return result;
}

void check_shard_exists(const std::filesystem::path& path, const std::string& shard,
                        const std::string& index_name) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) return;
  fail(ErrorCode::kMissing, {.where = index_name,
                             .what = "weight_map names the shard '" + shard + "', which is missing",
                             .remedy = "download " + path.string()});
}

}  // namespace

std::vector<SafetensorsFile> read_sharded_safetensors(const std::filesystem::path& index_path) {
  const std::string index_name = index_path.string();
  const Json json = read_json_file(index_path);
  const WeightMap map = read_weight_map(JsonReader(json, index_name));
  const std::filesystem::path folder = index_path.parent_path();
  for (const std::string& shard : map.shards) check_shard_exists(folder / shard, shard, index_name);
  std::vector<SafetensorsFile> files;
  std::unordered_set<std::string> found;
  for (const std::string& shard : map.shards) {
    files.push_back(read_safetensors(folder / shard));
    for (const TensorEntry& tensor : files.back().tensors) {
      const auto listed = map.shard_of.find(tensor.name);
      if (listed == map.shard_of.end() || listed->second != shard)
        fail(ErrorCode::kMismatch,
             {.where = files.back().file->name() + ": tensor '" + tensor.name + "'",
              .what = listed == map.shard_of.end() ? "is not in the weight_map of"
                                                   : "is in the shard '" + listed->second + "' according to",
              .got = index_name});
      found.insert(tensor.name);
    }
  }
  for (const auto& [tensor, shard] : map.shard_of) {
    if (!found.contains(tensor))
      fail(ErrorCode::kMismatch,
           {.where = index_name, .what = "tensor '" + tensor + "' is not in the shard '" + shard + "'"});
  }
  return files;
}

}  // namespace llm
