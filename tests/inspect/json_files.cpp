// The JSON files that a Hugging Face folder has beside its weights.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "common/base/error.h"
#include "tests/inspect/inspection.h"

namespace llm {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kKinds = {
    "config.json",           "generation_config.json",  "tokenizer.json",
    "tokenizer_config.json", "special_tokens_map.json", "index.json"};

// By the file's name, or else by the keys that only one kind has; empty for another kind of file.
std::string kind_of(const std::string& name, const Json& json) {
  if (name.ends_with(".index.json")) return "index.json";
  if (std::ranges::find(kKinds, name) != kKinds.end()) return name;
  const auto any = [&](std::initializer_list<const char*> keys) {
    return json.is_object() && std::ranges::any_of(keys, [&](const char* key) { return json.contains(key); });
  };
  if (any({"weight_map"})) return "index.json";
  if (any({"added_tokens", "pre_tokenizer"})) return "tokenizer.json";
  if (any({"model_type", "hidden_size"})) return "config.json";
  if (any({"tokenizer_class", "chat_template", "added_tokens_decoder"})) return "tokenizer_config.json";
  if (any({"eos_token", "bos_token", "unk_token", "pad_token", "additional_special_tokens"}))
    return "special_tokens_map.json";
  if (any({"eos_token_id", "bos_token_id", "pad_token_id", "do_sample", "max_new_tokens"}))
    return "generation_config.json";
  return {};
}

// "<s>", or {"content": "<s>", ...}, or a list of those.
std::string special_token_text(const JsonReader& value) {
  if (value.is_string()) return value.string();
  if (value.is_object()) return value.at("content").string();
  if (!value.is_array()) value.fail_expected("a token, an object with 'content', or a list of those");
  std::string text;
  for (Index i = 0; i < value.size(); ++i) text += (i == 0 ? "" : ", ") + special_token_text(value.at(i));
  return text;
}

Facts special_tokens_facts(const JsonReader& map) {
  map.expect_object();
  Facts facts;
  for (const auto& [key, value] : map.json().items())
    if (const auto member = map.find(key)) facts.emplace_back(key, special_token_text(*member));
  return facts;
}

// The shards are checked against the index where at least one of them lies beside it.
void inspect_index(const fs::path& path, const JsonReader& index, Inspection& result) {
  const JsonReader map = index.at("weight_map");
  map.expect_object();
  std::set<std::string> shards;
  for (const auto& [tensor, value] : map.json().items())
    shards.insert(JsonReader(value, map.place() + ": '" + tensor + "'").string());
  const auto present = std::ranges::count_if(shards, [&](const std::string& shard) {
    std::error_code error;
    return fs::exists(path.parent_path() / shard, error);
  });
  result.facts.emplace_back("tensors", map.size());
  result.facts.emplace_back("shards", static_cast<Index>(shards.size()));
  if (const auto metadata = index.find("metadata"); metadata && metadata->has("total_size"))
    result.facts.emplace_back("total size", metadata->at("total_size").integer(0));
  if (present > 0) {
    result.checkpoint = Checkpoint::open(path);
  } else if (!shards.empty()) {
    result.warnings.push_back("none of the shards is here: only the index was checked");
  }
}

}  // namespace

Inspection inspect_json_file(const fs::path& path) {
  const Json json = read_json_file(path);
  const JsonReader reader(json, path.string());
  Inspection result{.path = path.string(), .kind = kind_of(path.filename().string(), json)};
  if (result.kind == "config.json") {
    result.config = model_config_from_json(json.dump(), path.string());
  } else if (result.kind == "generation_config.json") {
    result.generation_config = path.filename() == result.kind
                                   ? load_generation_config(path.parent_path(), ModelConfig{})
                                   : generation_config_from_json(reader);
  } else if (result.kind == "tokenizer.json") {
    result.tokenizer = tokenizer_facts(path, std::nullopt);
  } else if (result.kind == "tokenizer_config.json") {
    result.tokenizer = tokenizer_config_facts(reader);
  } else if (result.kind == "special_tokens_map.json") {
    result.tokenizer = special_tokens_facts(reader);
  } else if (result.kind == "index.json") {
    reader.expect_object();
    inspect_index(path, reader, result);
  } else {
    reader.expect_object();
    fail(ErrorCode::kUnsupported,
         {.where = path.string(),
          .what = "is none of the JSON files that belong to a model",
          .expected = "config.json, generation_config.json, tokenizer.json, tokenizer_config.json, "
                      "special_tokens_map.json or model.safetensors.index.json"});
  }
  return result;
}

}  // namespace llm
