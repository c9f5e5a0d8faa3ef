// The flags that many programs share.
#include <algorithm>
#include <array>
#include <cassert>

#include "common/base/parallel.h"
#include "common/cli/options.h"
#include "common/cli/parse_number.h"

namespace llm {
namespace {

constexpr std::array<std::string_view, 4> kEngines = {"naive", "cached", "fused", "cuda"};
constexpr std::array<std::string_view, 6> kCaches = {"dynamic", "static", "sliding",
                                                     "int8",    "int4",   "offloaded"};
constexpr std::array<std::string_view, 6> kDTypes = {"file", "f32", "bf16", "f16", "q8_0", "q4_0"};
constexpr std::array<std::string_view, 2> kComputes = {"exact", "fast"};

// What --help calls the value of a field.
std::string value_name(const GenerationField& field) {
  constexpr auto holds = []<class... T>(const GenerationMember& member) {
    return (std::holds_alternative<T GenerationConfig::*>(member) || ...);
  };
  if (holds.operator()<Index, std::optional<Index>>(field.member)) return "N";
  if (holds.operator()<double, std::optional<double>>(field.member)) return "X";
  if (holds.operator()<std::optional<Token>, std::vector<Token>>(field.member)) return "ID";
  if (holds.operator()<std::string, std::vector<std::string>>(field.member)) return "TEXT";
  return "JSON";
}

// top-k for top_k
std::string flag_name(std::string_view field) {
  std::string name(field);
  std::ranges::replace(name, '_', '-');
  return name;
}

// The field's explanation and, where it has one, its default.
std::string help_text(const GenerationConfig& config, const GenerationField& field) {
  const std::string value = generation_field_json(config, field);
  const bool unset = value == "null" || value == "[]" || value == "\"\"";
  return std::string(field.help) + (unset ? "" : " (default: " + value + ")");
}

}  // namespace

std::span<const std::string_view> engine_names() { return kEngines; }
std::span<const std::string_view> cache_names() { return kCaches; }
std::span<const std::string_view> dtype_names() { return kDTypes; }

void Options::add_common(CommonFlags& flags) {
  add_text("model", flags.model, "a model's name, its folder or GGUF file, or random:qwen3-0.6b");
  add_value("prompt", "TEXT", "the text to continue",  // what an empty one means is up to the program
            [&flags](const std::string& text) { flags.prompt = text; });
  add_value("seed", "N", "of all random numbers (default: " + std::to_string(flags.seed) + ")",
            [&flags](const std::string& text) {
              flags.seed = parse_number<std::uint64_t>("--seed", text, 0, UINT64_MAX);
            });
  add_value("threads", "N", "threads to compute with (default: all processors)",
            [&flags](const std::string& text) {
              flags.threads = parse_number<int>("--threads", text, 1, kMaxThreads);
              set_num_threads(flags.threads);
            });
  add_flag("json", flags.json, "the report as JSON on the standard output");
  add_flag("quiet", flags.quiet, "no report and no progress bar");
}

void Options::add_jsonl(bool& jsonl) {
  add_flag("jsonl", jsonl, "answer JSON lines: a request a line in, an answer a line out");
}

void Options::add_engine(EngineFlags& flags, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (name == "engine") add_choice("engine", flags.engine, kEngines, "what computes the model");
    if (name == "compute") add_choice("compute", flags.compute, kComputes, "how activations are kept");
    if (name == "offload") add_flag("offload", flags.offload, "keep two layers of the cache in reach only");
    if (name == "cache") add_choice("cache", flags.cache, kCaches, "how keys and values are kept");
    if (name == "dtype") {
      add_choice("dtype", flags.dtype, kDTypes, "weights are converted to it when loaded");
      add_choice("quantize", flags.dtype, kDTypes, "another name of --dtype");
    }
  }
  after_parse([&flags] {
    if (flags.cache != "offloaded") return;
    flags.cache = "dynamic";
    flags.offload = true;
  });
}

void Options::add_generation(GenerationConfig& config, std::span<const std::string_view> fields) {
  const std::string before = group("Generation");
  for (const std::string_view name : fields) {
    assert(find_generation_field(name) != nullptr);
    const GenerationField& field = *find_generation_field(name);
    const std::string flag = flag_name(name);
    const auto set = [&config, name, flag](const std::string& text) {
      set_generation_field(config, name, text, "--" + flag);
    };
    const std::string help = help_text(config, field);
    if (std::holds_alternative<bool GenerationConfig::*>(field.member)) {
      add_switch(flag, help + "; --no-" + flag, [set](bool on) { set(on ? "true" : "false"); });
      const std::string visible = group("");
      add_switch("no-" + flag, "", [set](bool on) { set(on ? "false" : "true"); });
      group(visible);
    } else {
      add_value(flag, value_name(field), help, set, name == "stop_strings");
    }
  }
  group(before);
}

}  // namespace llm
