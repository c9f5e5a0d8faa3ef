// The same as JSON.
#include <algorithm>

#include "chapters/04_preallocated_cache/cache_memory.h"
#include "common/cli/json_writer.h"
#include "tests/inspect/inspection.h"

namespace llm {
namespace {

void write_facts(JsonWriter& json, const char* key, const Facts& facts) {
  if (facts.empty()) return;
  json.key(key).begin_object();
  for (const auto& [name, fact] : facts) {
    json.key(name);
    std::visit([&](const auto& value) { json.value(value); }, fact);
  }
  json.end_object();
}

void write_tensors(JsonWriter& json, const Checkpoint& checkpoint) {
  json.key("tensors").begin_array();
  for (const Checkpoint::Entry& entry : checkpoint.entries()) {
    json.begin_object().field("name", entry.tensor.name);
    if (entry.name_in_file != entry.tensor.name) json.field("name_in_file", entry.name_in_file);
    json.field("dtype", entry.tensor.dtype_name).field("shape", entry.tensor.shape);
    json.field("offset", entry.tensor.offset).field("bytes", entry.tensor.bytes).field("file", entry.file);
    json.end_object();
  }
  json.end_array();
}

void write_parts(JsonWriter& json, const std::vector<Part>& parts) {
  Index total = 0;
  json.key("parameters").begin_object();
  for (const Part& part : parts) {
    json.field(part.name, part.parameters);
    total += part.parameters;
  }
  json.field("total", total).end_object();
}

// {"dynamic f32": {"1024": bytes, ...}, ...}
void write_cache(JsonWriter& json, const ModelConfig& config) {
  json.key("cache_bytes").begin_object();
  for (const CacheSpec& spec : compared_caches(config)) {
    json.key(cache_name(spec)).begin_object();
    for (const Index length : cache_lengths(config))
      json.field(std::to_string(length), memory_needed(config, spec, length));
    json.end_object();
  }
  json.end_object();
}

}  // namespace

std::string to_json(const Inspection& inspection) {
  JsonWriter json;
  json.begin_object().field("path", inspection.path).field("kind", inspection.kind);
  write_facts(json, "contents", inspection.facts);
  if (inspection.checkpoint) {
    write_tensors(json, *inspection.checkpoint);
    write_parts(json, parameters_by_part(*inspection.checkpoint));
    json.field("weight_bytes", inspection.checkpoint->weight_bytes());
  } else if (inspection.config) {
    write_parts(json, parameters_by_part(*inspection.config));
  }
  if (inspection.config) {
    json.key("config").raw(to_json(*inspection.config));
    write_cache(json, *inspection.config);
  }
  if (inspection.generation_config) json.key("generation_config").raw(to_json(*inspection.generation_config));
  write_facts(json, "tokenizer", inspection.tokenizer);
  json.field("warnings", inspection.warnings);
  return json.end_object().text();
}

}  // namespace llm
