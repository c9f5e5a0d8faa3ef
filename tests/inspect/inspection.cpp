#include "tests/inspect/inspection.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "common/base/error.h"
#include "common/io/path_exists.h"

namespace llm {
namespace {

namespace fs = std::filesystem;

bool has_weights(const fs::path& folder) {
  if (path_exists(folder / "model.safetensors") || path_exists(folder / "model.safetensors.index.json"))
    return true;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error))
    if (file.path().extension() == ".gguf") return true;
  return false;
}

std::string metadata_text(const GgufFile& gguf, const GgufValue& value) {
  switch (value.type) {
    case GgufType::kString: {
      std::string text(gguf.string(value.key).substr(0, 60));
      for (char& c : text)
        if (c == '\n') c = ' ';
      return text;
    }
    case GgufType::kBool: return gguf.boolean(value.key) ? "true" : "false";
    case GgufType::kArray:
      return std::to_string(value.count) + " x " + std::string(gguf_type_name(value.element_type));
    case GgufType::kFloat32:
    case GgufType::kFloat64: return std::to_string(gguf.number(value.key));
    case GgufType::kUint64: return std::to_string(static_cast<std::uint64_t>(gguf.number(value.key)));
    default: return std::to_string(gguf.integer(value.key));
  }
}

// A GGUF file may be anything; it is a model of the course's if it has the sizes of a known architecture.
bool has_model_config(const GgufFile& gguf) {
  if (!gguf.has("general.architecture")) return false;
  const std::string architecture(gguf.architecture());
  for (const std::string_view known : known_model_types())
    if (architecture == known) return gguf.has(architecture + ".block_count");
  return false;
}

void inspect_gguf(Inspection& result) {
  const GgufFile& gguf = *result.checkpoint->gguf();
  result.facts.emplace_back("GGUF version", Index{gguf.version()});
  result.facts.emplace_back("alignment", gguf.alignment());
  for (const GgufValue& value : gguf.metadata())
    result.facts.emplace_back(value.key, metadata_text(gguf, value));
  std::optional<Index> vocab_size;
  if (has_model_config(gguf)) {
    result.config = model_config_from_gguf(gguf);
    vocab_size = result.config->vocab_size;
    check_weights(*result.config, *result.checkpoint, result.warnings);
  } else {
    result.warnings.push_back("no model that this course runs: llama, qwen2 or qwen3 with its sizes");
  }
  result.tokenizer = tokenizer_facts(gguf, vocab_size);
}

Inspection inspect_weights_file(const fs::path& path) {
  Inspection result{.path = path.string(), .kind = "safetensors file", .checkpoint = Checkpoint::open(path)};
  if (result.checkpoint->gguf() != nullptr) {
    result.kind = "GGUF file";
    inspect_gguf(result);
  }
  return result;
}

Inspection inspect_folder(const fs::path& folder) {
  const bool config = path_exists(folder / "config.json"), tokenizer = path_exists(folder / "tokenizer.json");
  const bool weights = has_weights(folder);
  Inspection result{.path = folder.string(), .kind = weights ? "model folder" : "folder without weights"};
  if (config) {
    result.config = load_model_config(folder);
    result.generation_config = load_generation_config(folder, *result.config);
  }
  if (weights) result.checkpoint = Checkpoint::open(folder);
  if (result.checkpoint && result.checkpoint->gguf() != nullptr && !config) {
    inspect_gguf(result);
    return result;
  }
  if (!config && !tokenizer)
    fail(ErrorCode::kMissing, {.where = folder.string(),
                               .what = "there is no model here",
                               .expected = "config.json, or at least tokenizer.json"});
  if (weights && config) check_weights(*result.config, *result.checkpoint, result.warnings);
  if (!config) result.warnings.push_back("config.json is missing: no program can run this model");
  std::optional<Index> vocab_size;
  if (config) vocab_size = result.config->vocab_size;
  if (tokenizer) result.tokenizer = tokenizer_facts(folder / "tokenizer.json", vocab_size);
  if (const fs::path file = folder / "tokenizer_config.json"; path_exists(file)) {
    const Json json = read_json_file(file);
    const Facts more = tokenizer_config_facts(JsonReader(json, file.string()));
    result.tokenizer.insert(result.tokenizer.end(), more.begin(), more.end());
  }
  return result;
}

}  // namespace

Inspection inspect(const fs::path& path) {
  if (!path_exists(path))
    fail(ErrorCode::kMissing, {.where = path.string(), .what = "no such file or folder"});
  Inspection result;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    result = inspect_folder(path);
  } else if (path.extension() == ".json") {
    result = inspect_json_file(path);
  } else {
    result = inspect_weights_file(path);
  }
  if (result.config)
    result.warnings.insert(result.warnings.begin(), result.config->warnings.begin(),
                           result.config->warnings.end());
  return result;
}

}  // namespace llm
