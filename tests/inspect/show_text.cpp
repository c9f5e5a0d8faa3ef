// The report for people.
#include <fmt/format.h>

#include <map>

#include "chapters/04_preallocated_cache/cache_memory.h"
#include "common/cli/report.h"
#include "tests/inspect/inspection.h"

namespace llm {
namespace {

void print_facts(Report& report, const char* title, const Facts& facts) {
  if (facts.empty()) return;
  report.title(title);
  for (const auto& [name, fact] : facts) {
    const Index* number = std::get_if<Index>(&fact);
    report.line(name, number != nullptr ? human_count(*number) : std::get<std::string>(fact));
  }
}

void print_config(Report& report, const ModelConfig& c) {
  report.title("Config");
  report.line("model_type", c.model_type);
  report.line("vocab_size", human_count(c.vocab_size));
  report.line("hidden_size", human_count(c.hidden_size));
  report.line("intermediate_size", human_count(c.intermediate_size));
  report.line("num_hidden_layers", human_count(c.num_hidden_layers));
  report.line("heads", fmt::format("{} for queries, {} for keys and values, head_dim {}",
                                   c.num_attention_heads, c.num_key_value_heads, c.head_dim));
  report.line("longest sequence", human_count(c.max_position_embeddings) + " positions");
  report.line("rope", fmt::format("{}, theta {}", rope_type_name(c.rope_parameters.rope_type),
                                  c.rope_parameters.rope_theta));
  report.line("rms_norm_eps", fmt::format("{}", c.rms_norm_eps));
  report.line("sliding window", c.sliding_window ? human_count(*c.sliding_window) : "none");
  report.line("tied embeddings", c.tie_word_embeddings ? "yes" : "no");
  report.line("end tokens", fmt::format("{}", fmt::join(c.eos_token_id, ", ")));
}

void print_parts(Report& report, const std::vector<Part>& parts) {
  Table table({"part", "parameters", "share", "in the file"});
  Index total = 0, bytes = 0;
  for (const Part& part : parts) {
    total += part.parameters;
    bytes += part.bytes;
  }
  for (const Part& part : parts)
    table.add_row(
        {part.name, human_count(part.parameters),
         fmt::format("{:.1f} %", 100.0 * static_cast<double>(part.parameters) / static_cast<double>(total)),
         part.bytes > 0 ? human_bytes(part.bytes) : "-"});
  table.add_row({"all", human_count(total), "", bytes > 0 ? human_bytes(bytes) : "-"});
  report.title("Parameters");
  report.table(table);
}

void print_cache(Report& report, const ModelConfig& config) {
  report.title(
      "Memory of a cache, one sequence, scales counted; offloaded: the two layers that are in reach");
  report.table(memory_table(config, cache_lengths(config), machine_memory_bytes()));
}

void print_tensors(Report& report, const Checkpoint& checkpoint) {
  std::map<std::string, Index> files;
  for (const Checkpoint::Entry& entry : checkpoint.entries()) ++files[entry.file];
  for (const auto& [file, count] : files) {
    Table table({"tensor", "dtype", "shape", "offset", "bytes"});
    for (const Checkpoint::Entry& entry : checkpoint.entries()) {
      if (entry.file != file) continue;
      const bool renamed = entry.name_in_file != entry.tensor.name;
      table.add_row({renamed ? entry.tensor.name + " (" + entry.name_in_file + ")" : entry.tensor.name,
                     entry.tensor.dtype_name, shape_text(entry.tensor.shape),
                     std::to_string(entry.tensor.offset), std::to_string(entry.tensor.bytes)});
    }
    report.title(fmt::format("{}: {} tensors", file, count));
    report.table(table);
  }
}

}  // namespace

void print_text(const Inspection& inspection) {
  Report report(/*quiet=*/false, stdout);
  report.text(inspection.path + ": " + inspection.kind, Style::kBold);
  print_facts(report, "Contents", inspection.facts);
  if (inspection.checkpoint) print_tensors(report, *inspection.checkpoint);
  if (inspection.config) print_config(report, *inspection.config);
  if (inspection.checkpoint)
    print_parts(report, parameters_by_part(*inspection.checkpoint));
  else if (inspection.config)
    print_parts(report, parameters_by_part(*inspection.config));
  if (inspection.config) print_cache(report, *inspection.config);
  if (inspection.generation_config) {
    report.title("Generation config");
    report.text("  " + to_json(*inspection.generation_config));
  }
  print_facts(report, "Tokenizer", inspection.tokenizer);
  for (const std::string& warning : inspection.warnings) report.warning(warning);
}

}  // namespace llm
