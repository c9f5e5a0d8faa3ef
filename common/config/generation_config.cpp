#include "common/config/generation_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/config/generation_fields.h"
#include "common/config/model_config.h"
#include "common/io/json.h"
#include "common/io/near_match.h"

namespace llm {
namespace {

void copy_field(const GenerationField& field, const GenerationConfig& from, GenerationConfig& to) {
  std::visit([&](auto member) { to.*member = from.*member; }, field.member);
  to.given.insert(field.name);
}

const ForeignField* find_foreign(std::string_view name) {
  const auto fields = foreign_generation_fields();
  const auto found = std::ranges::find(fields, name, &ForeignField::name);
  return found == fields.end() ? nullptr : &*found;
}

[[noreturn]] void fail_unknown(const std::string& where, std::string_view name) {
  std::vector<std::string> names;
  for (const GenerationField& field : generation_fields()) names.emplace_back(field.name);
  const std::string nearest = near_match(name, names);
  fail(ErrorCode::kUsage, {.where = where,
                           .what = "unknown field '" + std::string(name) + "'",
                           .remedy = nearest.empty() ? "" : "did you mean '" + nearest + "'?"});
}

// A field of transformers that is not in the table: fine as long as it asks for nothing.
void check_foreign(const ForeignField& field, const JsonReader& value) {
  if (field.neutral.empty() || value.json() == Json::parse(field.neutral)) return;
  fail(ErrorCode::kUnsupported, {.where = value.place(), .what = std::string(field.why)});
}

std::string program_that_uses(const GenerationField& field, const std::string& program) {
  return std::string(field.used_by == program ? "11_generate" : field.used_by);
}

}  // namespace

GenerationConfig generation_config_from_json(const JsonReader& object) {
  object.expect_object();
  GenerationConfig config;
  for (const auto& [name, item] : object.json().items()) {
    const GenerationField* field = find_generation_field(name);
    const ForeignField* foreign = find_foreign(name);
    if (field == nullptr && foreign == nullptr) fail_unknown(object.place(), name);
    if (item.is_null()) continue;
    if (field != nullptr)
      read_generation_field(config, *field, object.at(name));
    else
      check_foreign(*foreign, object.at(name));
  }
  return config;
}

GenerationConfig generation_config_from_model(const ModelConfig& model) {
  GenerationConfig config;
  if (!model.eos_token_id.empty()) {
    config.eos_token_id = model.eos_token_id;
    config.given.insert("eos_token_id");
  }
  if (model.bos_token_id) {
    config.bos_token_id = model.bos_token_id;
    config.given.insert("bos_token_id");
  }
  if (model.pad_token_id) {
    config.pad_token_id = model.pad_token_id;
    config.given.insert("pad_token_id");
  }
  return config;
}

GenerationConfig load_generation_config(const std::filesystem::path& folder, const ModelConfig& model) {
  const std::filesystem::path file = folder / "generation_config.json";
  if (!std::filesystem::exists(file)) return generation_config_from_model(model);
  const Json json = read_json_file(file);
  const JsonReader object(json, file.string());
  object.expect_object();
  GenerationConfig config;
  for (const GenerationField& field : generation_fields()) {
    const auto value = object.find(field.name);
    if (!value) continue;
    // Files say `"pad_token_id": -1` for "none".
    const bool none = field.name.ends_with("_token_id") && value->is_integer() && value->json() < 0;
    if (!none) read_generation_field(config, field, *value);
  }
  return config;
}

void set_generation_field(GenerationConfig& config, std::string_view name, std::string_view text,
                          const std::string& where) {
  const GenerationField* field = find_generation_field(name);
  if (field == nullptr) fail_unknown(where, name);
  if (const auto* texts = std::get_if<std::vector<std::string> GenerationConfig::*>(&field->member)) {
    (config.*(*texts)).emplace_back(text);
    config.given.insert(field->name);
    return;
  }
  // Lists of ids may be written without their brackets.
  const bool is_list = std::holds_alternative<std::vector<Token> GenerationConfig::*>(field->member);
  std::string json_text(text);
  if (is_list && text.find('[') == std::string_view::npos) json_text = "[" + json_text + "]";
  Json json = Json::parse(json_text, nullptr, false);
  if (json.is_discarded() || json.is_string()) json = std::string(text);
  read_generation_field(config, *field, JsonReader(json, where));
}

GenerationConfig merge(const GenerationConfig& over, const GenerationConfig& base) {
  GenerationConfig merged = base;
  for (const GenerationField& field : generation_fields())
    if (over.given.contains(field.name)) copy_field(field, over, merged);
  return merged;
}

std::string to_json(const GenerationConfig& config) {
  std::string json = "{";
  for (const GenerationField& field : generation_fields())
    if (config.given.contains(field.name))
      json += (json.size() > 1 ? ", \"" : "\"") + std::string(field.name) +
              "\": " + generation_field_json(config, field);
  return json + "}";
}

void expect_honoured(const GenerationConfig& config, std::span<const std::string_view> fields,
                     const std::string& program, const std::string& where) {
  for (const GenerationField& field : generation_fields()) {
    if (!config.given.contains(field.name) || std::ranges::count(fields, field.name)) continue;
    if (is_neutral(config, field)) continue;
    fail(ErrorCode::kUnsupported,
         {.where = where + ": " + program + " does not use '" + std::string(field.name) + "'",
          .remedy = program_that_uses(field, program) + " does"});
  }
}

GenerationConfig keep_honoured(const GenerationConfig& config, std::span<const std::string_view> fields) {
  GenerationConfig kept;
  for (const GenerationField& field : generation_fields())
    if (config.given.contains(field.name) && std::ranges::count(fields, field.name))
      copy_field(field, config, kept);
  return kept;
}

}  // namespace llm
