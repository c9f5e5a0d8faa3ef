// What `inspect` finds out about a path.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/config/generation_config.h"
#include "common/config/model_config.h"
#include "common/io/checkpoint.h"
#include "common/io/json.h"

namespace llm {

// Names and texts or numbers, in the order in which they are shown.
using Facts = std::vector<std::pair<std::string, std::variant<std::string, Index>>>;

struct Inspection {
  std::string path = {};
  std::string kind = {};  // "model folder", "safetensors file", "GGUF file", "config.json", ...
  Facts facts = {};       // of the container: version, metadata, number of shards
  std::shared_ptr<Checkpoint> checkpoint = {};
  std::optional<ModelConfig> config = {};
  std::optional<GenerationConfig> generation_config = {};
  Facts tokenizer = {};                    // its parts; empty without one
  std::vector<std::string> warnings = {};  // one sentence each
};

// Opens and checks whatever is at the path with the loaders of the course, and how the parts fit together.
// Errors: the loaders', kMissing for a folder without config.json and tokenizer.json, kUnsupported for a file
// of another kind, kMismatch for parts that do not belong together.
Inspection inspect(const std::filesystem::path& path);

// inspect() for one JSON file of the Hugging Face kind: by its name, or else by its keys. (json_files.cpp)
Inspection inspect_json_file(const std::filesystem::path& path);

// The parts of a tokenizer.json and of a tokenizer_config.json, after loading it. `vocab_size`: rows of the
// embedding table, or nothing. (tokenizer_facts.cpp)
Facts tokenizer_facts(const std::filesystem::path& file, std::optional<Index> vocab_size);
Facts tokenizer_config_facts(const JsonReader& config);
// The tokenizer inside a GGUF file; empty without one.
Facts tokenizer_facts(const GgufFile& gguf, std::optional<Index> vocab_size);

// Every weight that the config implies is there and has its shape; adds warnings about what nobody asks for.
// (weights.cpp)
void check_weights(const ModelConfig& config, Checkpoint& checkpoint, std::vector<std::string>& warnings);

// Numbers of parameters: embedding, attention, mlp, norms, head, other. (weights.cpp)
struct Part {
  std::string name;
  Index parameters = 0;
  Index bytes = 0;
};
std::vector<Part> parameters_by_part(const Checkpoint& checkpoint);
std::vector<Part> parameters_by_part(const ModelConfig& config);

// The lengths for which the memory of caches is shown, up to the model's own.
std::vector<Index> cache_lengths(const ModelConfig& config);

// The two ways to show it. (show_text.cpp, show_json.cpp)
void print_text(const Inspection& inspection);
std::string to_json(const Inspection& inspection);

}  // namespace llm
