#include "chapters/04_preallocated_cache/cache_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "chapters/04_preallocated_cache/cache_memory.h"
#include "common/base/parallel.h"
#include "common/base/timing.h"
#include "common/cli/json_writer.h"
#include "common/config/tensor_specs.h"

namespace llm {
namespace {

constexpr Index kLengths[] = {1024, 32 * 1024, 128 * 1024};

Index size(const std::vector<Token>& tokens) { return static_cast<Index>(tokens.size()); }
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

void print_check(const CacheRun& run, Report& report) {
  if (run.dynamic.new_tokens.empty()) return report.line("tokens", "not compared (--check 0)");
  if (run.codes) {
    report.line("scores", fmt::format("off by {:.2g} of the largest at most; same best token in {}/{}",
                                      run.codes->largest_error, run.codes->same_best, run.codes->tokens));
  } else {
    report.line("tokens equal to 02", run.check.text());
  }
  report.line("tokens equal to 03", fmt::format("{}/{}", run.equal_to_dynamic(), size(run.text.new_tokens)));
}

void print_time(const CacheRun& run, Report& report) {
  const Index P = size(run.prompt);
  report.title("Time");
  Table table({"cache", "prefill", "tok/s", "decode", "tok/s"});
  const auto add = [&](const std::string& name, const TextRun& text) {
    const Index decoded = size(text.new_tokens) - 1;
    table.add_row({name, human_seconds(text.prefill_s()), human_rate(P, text.prefill_s(), ""),
                   human_seconds(text.decode_s()), human_rate(decoded, text.decode_s(), "")});
  };
  if (!run.dynamic.new_tokens.empty()) add("dynamic f32 (03)", run.dynamic);
  add(cache_name(run.spec), run.text);
  report.table(table);
}

void print_memory(const Transformer& model, const CacheRun& run, Report& report) {
  report.title("Memory");
  report.line("cache by formula",
              fmt::format("{} for {} tokens{}", human_bytes(run.formula_bytes), human_count(run.tokens),
                          run.spec.offload ? ", in temporary files" : ""));
  report.line("cache by allocator", fmt::format("{}{}", human_bytes(run.memory_bytes),
                                                run.memory_bytes == run.formula_bytes ? ": equal"
                                                : run.spec.cache == "dynamic"         ? ", with room to grow"
                                                                                      : ": NOT EQUAL"));
  if (run.spec.offload)
    report.line("  in reach at once", human_bytes(memory_needed(model.config(), run.spec, run.tokens)));
  report.line("weights", fmt::format("{} and {} of float32 copies", human_bytes(model.weight_bytes()),
                                     human_bytes(model.copied_bytes())));
  report.line("peak", human_bytes(run.peak_bytes));
  report.line("load", human_seconds(run.load_s));
}

void write_run(JsonWriter& json, const char* name, const TextRun& run, Index prompt_tokens) {
  const auto rate = [](Index tokens, double s) { return s > 0 ? static_cast<double>(tokens) / s : 0.0; };
  json.key(name).begin_object().field("prefill_s", run.prefill_s()).field("decode_s", run.decode_s());
  json.field("prefill_tokens_per_s", rate(prompt_tokens, run.prefill_s()));
  json.field("decode_tokens_per_s", rate(size(run.new_tokens) - 1, run.decode_s()));
  json.field("seconds_per_token", run.seconds).end_object();
}

}  // namespace

Index CacheRun::equal_to_dynamic() const {
  return std::ranges::mismatch(text.new_tokens, dynamic.new_tokens).in1 - text.new_tokens.begin();
}

void print_report(const OpenModel& opened, const Transformer& model, const CacheRun& run, Report& report) {
  const ModelConfig& config = model.config();
  report.title(fmt::format("Cache {}: {} ({}, {} layers, {} parameters)", cache_name(run.spec), opened.name,
                           config.model_type, config.num_hidden_layers, human_count(num_parameters(config))));
  report.line("prompt", fmt::format("{} tokens", size(run.prompt)));
  report.line("new", fmt::format("{} tokens, ended by {}", size(run.text.new_tokens),
                                 run.text.finish_reason == "eos" ? "an end token" : "the limit"));
  print_check(run, report);
  if (!run.passed()) return report.text("The tokens are wrong: no speed is worth telling.", Style::kBad);
  print_time(run, report);
  print_memory(model, run, report);
}

std::string json_report(const OpenModel& opened, const Transformer& model, const CacheRun& run) {
  JsonWriter json;
  json.begin_object().field("program", "04_preallocated_cache").field("model", opened.name);
  json.field("cache", run.spec.cache).field("cache_dtype", run.spec.cache_dtype);
  json.field("offload", run.spec.offload);
  json.field("text", opened.tokenizer->decode(run.text.new_tokens, /*skip_special_tokens=*/true));
  json.field("new_tokens", run.text.new_tokens).field("finish_reason", run.text.finish_reason);
  json.key("check").begin_object().field("passed", run.passed());
  json.field("equal_to_dynamic", run.equal_to_dynamic());
  if (run.codes) {
    json.field("largest_error", run.codes->largest_error).field("same_best", run.codes->same_best);
    json.field("compared", run.codes->tokens);
  } else {
    json.field("equal", run.check.equal).field("compared", static_cast<Index>(run.check.seconds.size()));
  }
  json.end_object().key("stats").begin_object();
  json.field("threads", num_threads()).field("prompt_tokens", size(run.prompt));
  json.field("new_tokens", size(run.text.new_tokens)).field("load_s", run.load_s);
  if (run.passed()) {
    write_run(json, "run", run.text, size(run.prompt));
    write_run(json, "dynamic", run.dynamic, size(run.prompt));
  }
  json.field("cached_tokens", run.tokens).field("cache_bytes", run.memory_bytes);
  json.field("formula_bytes", run.formula_bytes).field("weight_bytes", model.weight_bytes());
  json.field("copied_bytes", model.copied_bytes()).field("peak_bytes", run.peak_bytes);
  return json.end_object().end_object().text();
}

void print_quality(const OpenModel& opened, const std::vector<QualityRow>& rows, Report& report) {
  const QualityRow& first = rows.front();
  report.title(fmt::format("Quality and memory: {}, {} tokens foretold", opened.name,
                           human_count(first.perplexity.tokens)));
  Table table({"cache", "memory", "of bf16", "perplexity", "change", "time"});
  Index bf16 = 0;
  for (const QualityRow& row : rows)
    if (row.spec.cache == "static" && row.spec.cache_dtype == "bf16") bf16 = row.memory_bytes;
  for (const QualityRow& row : rows)
    table.add_row(
        {cache_name(row.spec), human_bytes(row.memory_bytes),
         bf16 > 0 ? percent(static_cast<double>(row.memory_bytes) / static_cast<double>(bf16)) : "-",
         fmt::format("{:.4f}", row.perplexity.value),
         fmt::format("{:+.3f} %", 100 * (row.perplexity.value / first.perplexity.value - 1)),
         human_seconds(row.perplexity.seconds)});
  report.table(table);
}

std::string json_quality(const OpenModel& opened, const std::vector<QualityRow>& rows) {
  JsonWriter json;
  json.begin_object().field("program", "04_preallocated_cache").field("model", opened.name);
  json.key("quality").begin_array();
  for (const QualityRow& row : rows) {
    json.begin_object().field("cache", row.spec.cache).field("cache_dtype", row.spec.cache_dtype);
    json.field("offload", row.spec.offload).field("tokens", row.perplexity.tokens);
    json.field("perplexity", row.perplexity.value).field("cache_bytes", row.memory_bytes);
    json.field("seconds", row.perplexity.seconds).end_object();
  }
  return json.end_array().end_object().text();
}

std::string json_memory_tables(const std::string& name, const ModelConfig& own) {
  const Index budget = machine_memory_bytes();
  std::vector<CachedShape> models = well_known_shapes();
  models.push_back({name, own});
  JsonWriter json;
  json.begin_object().field("program", "04_preallocated_cache").field("budget_bytes", budget);
  json.key("models").begin_array();
  for (const CachedShape& model : models) {
    json.begin_object().field("name", model.name).key("caches").begin_object();
    for (const CacheSpec& spec : compared_caches(model.config)) {
      json.key(cache_name(spec)).begin_object();
      for (const Index length : kLengths)
        json.field(std::to_string(length), memory_needed(model.config, spec, length));
      json.field("longest", longest_text(model.config, spec, budget)).end_object();
    }
    json.end_object().end_object();
  }
  return json.end_array().end_object().text();
}

void print_memory_tables(const std::string& name, const ModelConfig& own, Report& report) {
  const Index budget = machine_memory_bytes();
  const auto print = [&](const std::string& title, const ModelConfig& config) {
    report.title(fmt::format("{}: {} layers, {} key/value heads of {}", title, config.num_hidden_layers,
                             config.num_key_value_heads, config.head_dim));
    report.table(memory_table(config, kLengths, budget));
  };
  for (const CachedShape& shape : well_known_shapes()) print(shape.name, shape.config);
  print(name, own);
  report.text(fmt::format("\n{} is all of this machine's memory; the weights must fit in it too.",
                          human_bytes(budget)));
}

}  // namespace llm
