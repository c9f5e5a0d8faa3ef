#include "chapters/05_fused_cpu/fused_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "chapters/03_kv_cache/phase_work.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "common/cli/json_writer.h"
#include "common/config/tensor_specs.h"

namespace llm {
namespace {

Index size(const std::vector<Token>& tokens) { return static_cast<Index>(tokens.size()); }

// One engine's speeds. An engine that took no time has none: 0.
struct Speeds {
  double prefill_s = 0, prefill_tokens_per_s = 0, prefill_flops_per_s = 0;
  double decode_s = 0, decode_tokens_per_s = 0, decode_bytes_per_s = 0;
};

double over(double work, double seconds) { return seconds > 0 ? work / seconds : 0; }

// weight_bytes: of a step.
Speeds speeds(const ModelConfig& config, const FusedRun& run, const TextRun& text, Index weight_bytes) {
  const Index P = size(run.prompt), decoded = size(text.new_tokens) - 1;
  Speeds s{.prefill_s = text.prefill_s(), .decode_s = text.decode_s()};
  s.prefill_tokens_per_s = over(static_cast<double>(P), s.prefill_s);
  s.prefill_flops_per_s = over(cached_phases(config, 0, P, 1).prefill.total(), s.prefill_s);
  s.decode_tokens_per_s = over(static_cast<double>(decoded), s.decode_s);
  double bytes = 0;
  for (Index i = 0; i < decoded; ++i)
    bytes += static_cast<double>(weight_bytes + cached_step_bytes(config, run.spec, P + i + 1));
  s.decode_bytes_per_s = over(bytes, s.decode_s);
  return s;
}

std::string number(double value) { return value > 0 ? human_number(value) : "-"; }

std::string compute_text(const FusedRun& run) {
  if (run.options.compute == Compute::kExact) return "exact: what is multiplied stays float32";
  if (run.weights.rounded_bytes == 0)
    return fmt::format("exact is used: {} has no fast product for {} weights", isa_name(run.options.isa),
                       run.weights.names);
  const std::string all = run.weights.rounded_bytes == run.weights.step_bytes
                              ? "all weights"
                              : percent(static_cast<double>(run.weights.rounded_bytes) /
                                        static_cast<double>(run.weights.step_bytes)) +
                                    " of the weights";
  return "fast: what is multiplied with " + all + " is rounded";
}

std::string isa_text(Isa isa) {
  const char* wanted = std::getenv("NT_ISA");
  const std::string name(isa_name(isa));
  if (isa == available_isas().back()) return name + ": the best one that this machine has";
  return name + (wanted != nullptr && *wanted != '\0' ? ": NT_ISA asks for it"
                                                      : ": --autotune found it the fastest");
}

void print_check(const FusedRun& run, Report& report) {
  if (!run.compared()) return report.line("tokens", "not compared (--check 0)");
  if (run.rounded) {
    const RoundingCheck& r = *run.rounded;
    report.line("scores", fmt::format("off by {:.2g} of the largest at most; same best token in {}/{}",
                                      r.scores.largest_error, r.scores.same_best, r.scores.tokens));
    report.line("perplexity", fmt::format("of this text {:.4f}; exactly {:.4f}: {:+.3f} %", r.perplexity,
                                          r.exact_perplexity, 100 * r.perplexity_change()));
  } else {
    report.line("tokens equal to 02", run.check.text());
  }
  report.line("tokens equal to 04", fmt::format("{}/{}", run.equal_to_earlier(), size(run.text.new_tokens)));
}

void print_engine(const ModelConfig& config, const FusedRun& run, Report& report) {
  const Index cached = cached_step_bytes(config, run.spec, run.tokens);
  report.line("instruction set", isa_text(run.options.isa));
  report.line("threads", std::to_string(run.options.num_threads));
  report.line("compute", compute_text(run));
  report.line("weights", fmt::format("{}, {}", human_bytes(run.weights.step_bytes), run.weights.names));
  report.line("bytes a token",
              fmt::format("{}: the weights, and {} of cache at the end",
                          human_bytes(run.weights.step_bytes + cached), human_bytes(cached)));
}

void print_time(const ModelConfig& config, const FusedRun& run, Report& report) {
  report.title("Time");
  Table table({"", "prefill", "tok/s", "GFLOP/s", "decode", "tok/s", "GB/s"});
  const auto add = [&](const char* name, const Speeds& s) {
    table.add_row({name, human_seconds(s.prefill_s), number(s.prefill_tokens_per_s),
                   number(s.prefill_flops_per_s * 1e-9), s.decode_s > 0 ? human_seconds(s.decode_s) : "-",
                   number(s.decode_tokens_per_s), number(s.decode_bytes_per_s * 1e-9)});
  };
  const Speeds fused = speeds(config, run, run.text, run.weights.step_bytes);
  if (run.compared())
    add("04, one operator at a time", speeds(config, run, run.earlier, float32_step_bytes(config)));
  add("05, fused", fused);
  if (!run.machine.flops_per_s.empty()) {
    const double flops = run.machine.flops_per_s.median(), bytes = run.machine.read_bytes_per_s.median();
    table.add_row({"what this machine can do", "", "", number(flops * 1e-9), "", "", number(bytes * 1e-9)});
    table.add_row({"05's share of it", "", "", percent(fused.prefill_flops_per_s / flops), "", "",
                   percent(fused.decode_bytes_per_s / bytes)});
  }
  report.table(table);
  if (!run.machine.flops_per_s.empty())
    report.text(
        "GFLOP/s beside multiply-adds in registers; GB/s beside sums over 1 GiB, which a small model\n"
        "in the processor's caches beats.",
        Style::kDim);
}

void print_memory(const FusedRun& run, Report& report) {
  report.title("Memory");
  report.line("cache",
              fmt::format("{} for {} tokens", human_bytes(run.cache_bytes), human_count(run.tokens)));
  report.line("peak", human_bytes(run.peak_bytes));
  report.line("load", human_seconds(run.load_s));
  report.line("to the first token", human_seconds(run.load_s + run.text.prefill_s()));
}

void write_speeds(JsonWriter& json, const char* name, const Speeds& s) {
  json.key(name).begin_object().field("prefill_s", s.prefill_s).field("decode_s", s.decode_s);
  json.field("prefill_tokens_per_s", s.prefill_tokens_per_s);
  json.field("prefill_flops_per_s", s.prefill_flops_per_s);
  json.field("decode_tokens_per_s", s.decode_tokens_per_s);
  json.field("decode_bytes_per_s", s.decode_bytes_per_s).end_object();
}

void write_check(JsonWriter& json, const FusedRun& run) {
  json.key("check").begin_object().field("passed", run.passed());
  if (run.rounded) {
    json.field("largest_error", run.rounded->scores.largest_error);
    json.field("same_best", run.rounded->scores.same_best).field("compared", run.rounded->scores.tokens);
    json.field("perplexity", run.rounded->perplexity);
    json.field("exact_perplexity", run.rounded->exact_perplexity);
  } else {
    json.field("equal", run.check.equal).field("compared", static_cast<Index>(run.check.seconds.size()));
  }
  json.field("equal_to_04", run.equal_to_earlier()).end_object();
}

}  // namespace

std::string percent(double share) {
  if (!std::isfinite(share) || share <= 0) return "-";
  return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0);
}

Index FusedRun::equal_to_earlier() const {
  return std::ranges::mismatch(text.new_tokens, earlier.new_tokens).in1 - text.new_tokens.begin();
}

void print_report(const OpenModel& opened, const FusedRun& run, Report& report) {
  const ModelConfig& config = opened.config;
  report.title(fmt::format("Fused, cache {}: {} ({}, {} layers, {} parameters)", cache_name(run.spec),
                           opened.name, config.model_type, config.num_hidden_layers,
                           human_count(num_parameters(config))));
  report.line("prompt", fmt::format("{} tokens", size(run.prompt)));
  report.line("new", fmt::format("{} tokens, ended by {}", size(run.text.new_tokens),
                                 run.text.finish_reason == "eos" ? "an end token" : "the limit"));
  print_check(run, report);
  if (!run.passed()) return report.text("The tokens are wrong: no speed is worth telling.", Style::kBad);
  print_engine(config, run, report);
  print_time(config, run, report);
  print_memory(run, report);
}

std::string json_report(const OpenModel& opened, const FusedRun& run) {
  const bool rounds = run.options.compute == Compute::kFast && run.weights.rounded_bytes > 0;
  JsonWriter json;
  json.begin_object().field("program", "05_fused_cpu").field("model", opened.name);
  json.field("isa", isa_name(run.options.isa)).field("threads", run.options.num_threads);
  json.field("compute", rounds ? "fast" : "exact").field("weights", run.weights.names);
  json.field("cache", run.spec.cache).field("cache_dtype", run.spec.cache_dtype);
  json.field("offload", run.spec.offload);
  json.field("text", opened.tokenizer->decode(run.text.new_tokens, /*skip_special_tokens=*/true));
  json.field("new_tokens", run.text.new_tokens).field("finish_reason", run.text.finish_reason);
  write_check(json, run);
  json.key("stats").begin_object();
  json.field("prompt_tokens", size(run.prompt)).field("new_tokens", size(run.text.new_tokens));
  json.field("load_s", run.load_s);
  if (run.passed()) {
    write_speeds(json, "fused", speeds(opened.config, run, run.text, run.weights.step_bytes));
    if (run.compared())
      write_speeds(json, "cached",
                   speeds(opened.config, run, run.earlier, float32_step_bytes(opened.config)));
    json.field("seconds_per_token", run.text.seconds);
  }
  if (!run.machine.flops_per_s.empty()) {
    json.field("peak_flops_per_s", run.machine.flops_per_s.median());
    json.field("read_bytes_per_s", run.machine.read_bytes_per_s.median());
  }
  json.field("weight_bytes", run.weights.step_bytes).field("cached_tokens", run.tokens);
  json.field("cache_bytes", run.cache_bytes).field("peak_bytes", run.peak_bytes);
  return json.end_object().end_object().text();
}

}  // namespace llm
