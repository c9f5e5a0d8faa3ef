#include "tests/bench/bench_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/base/parallel.h"
#include "tests/bench/chart.h"
#include "tests/bench/literature.h"

namespace llm {
namespace {

std::string range(const Samples& samples) {
  return fmt::format("{} ({} to {})", human_number(samples.median()), human_number(samples.min()),
                     human_number(samples.max()));
}

std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0); }

std::string threads_text() {
  return num_threads() == 1 ? "1 thread" : fmt::format("{} threads", num_threads());
}

std::string heading(const BenchReport& bench) {
  const Workload& work = bench.work;
  std::string text = bench.model + ": ";
  if (work.batch > 1) text += fmt::format("{} sequences of ", work.batch);
  text +=
      fmt::format("{} tokens, then {} more", human_count(work.prompt_tokens), human_count(work.new_tokens));
  if (work.depth > 0) text += fmt::format(", after {} in the cache", human_count(work.depth));
  return text + "; " + threads_text();
}

Table speed_table(const BenchReport& bench) {
  Table table({"stage", "prefill tok/s", "of FMA", "decode tok/s", "of read", "a token"});
  for (const StageResult& r : bench.results)
    table.add_row({r.name, range(r.prefill_tokens_per_s), percent(r.prefill_share_of_flops()),
                   range(r.decode_tokens_per_s), percent(r.decode_share_of_bandwidth()),
                   human_bytes(static_cast<Index>(r.decode_bytes))});
  return table;
}

Table call_table(const BenchReport& bench) {
  Table table({"stage", "load", "prefill: first", "later", "a step: first", "later", "memory",
               "as " + bench.results.front().name});
  for (const StageResult& r : bench.results)
    table.add_row({r.name, human_seconds(r.load_s), human_seconds(r.first_prefill_s),
                   human_seconds(r.prefill_s), human_seconds(r.first_step_s), human_seconds(r.step_s),
                   human_bytes(r.memory_bytes),
                   fmt::format("{}/{}", bench.equal_tokens(r), r.tokens.size())});
  return table;
}

std::string long_time(double seconds) {
  return seconds < 7200 ? human_seconds(seconds) : fmt::format("{} h", human_number(seconds / 3600));
}

std::string reach_text(const StageResult& result, Index tokens) {
  for (const Reach& reach : result.reach)
    if (reach.tokens == tokens) return (reach.measured ? "" : "about ") + long_time(reach.seconds);
  return "beyond the model's length";
}

Table reach_table(const BenchReport& bench) {
  Table table({"stage", "to 500 new tokens", "to 2,000 new tokens"});
  for (const StageResult& r : bench.results) table.add_row({r.name, reach_text(r, 500), reach_text(r, 2000)});
  return table;
}

std::string our_speed(const BenchReport& bench, std::string_view stage) {
  for (const StageResult& r : bench.results)
    if (r.name == stage) return human_number(r.decode_tokens_per_s.median());
  return "-";
}

void print_literature(const BenchReport& bench, Report& report) {
  report.title("The literature's table for this shape (PyTorch, bfloat16), tok/s, and ours");
  Table table({"", "M4 CPU", "M4 GPU", "H100", "ours here", "our stage"});
  for (const LiteratureRow& row : literature())
    table.add_row({std::string(row.method), human_count(row.m4_cpu), human_count(row.m4_gpu),
                   human_count(row.h100), our_speed(bench, row.ours),
                   row.ours.empty() ? "none: ours is compiled ahead of time" : std::string(row.ours)});
  report.table(table);
  report.text("From the materials of S. Raschka, Build a Reasoning Model (From Scratch).", Style::kDim);
}

std::string giga(const Samples& samples, const char* unit) {
  Samples scaled;
  for (const double value : {samples.median(), samples.min(), samples.max()}) scaled.add(value * 1e-9);
  return fmt::format("{} {} ({} to {})", human_number(samples.median() * 1e-9), unit,
                     human_number(scaled.min()), human_number(scaled.max()));
}

}  // namespace

MachineLimits BenchReport::machine() const {
  MachineLimits all;
  for (const StageResult& result : results) all.add(result.machine);
  return all;
}

Index BenchReport::equal_tokens(const StageResult& result) const {
  const auto& first = results.front().tokens;
  return std::ranges::mismatch(first, result.tokens).in1 - first.begin();
}

void print_report(const BenchReport& bench, Report& report) {
  const MachineLimits machine = bench.machine();
  report.title(heading(bench));
  report.table(speed_table(bench));
  report.text("Medians (smallest to largest). a token: bytes of weights and cached keys that it moves.",
              Style::kDim);
  report.line("of FMA", giga(machine.flops_per_s, "GFLOP/s of multiply-adds") + ", measured in between");
  report.line("of read",
              giga(machine.read_bytes_per_s, "GB/s") + " of sums over much memory, measured in between");
  const auto cached = [](const StageResult& r) { return r.decode_share_of_bandwidth() > 1; };
  if (std::ranges::any_of(bench.results, cached))
    report.text("More than 100 % of read: what is small stays in the processor's caches.", Style::kDim);

  report.title("The first call, and later ones");
  report.table(call_table(bench));
  report.text("first: page faults, cold caches. as ...: tokens equal to that stage's, from the start.",
              Style::kDim);
  report.title("How long a text takes");
  report.table(reach_table(bench));
  report.text("about: not run to its end; from the speeds at the lengths that were measured.", Style::kDim);
  for (const std::string& line : bench.left_out) report.line("left out", line);
  if (has_literature(bench.config)) print_literature(bench, report);
}

std::string svg_report(const BenchReport& bench) {
  Chart chart{.title = fmt::format("Decoding {}: tokens per second, {}", bench.model, threads_text()),
              .unit = "tok/s",
              .bars = {},
              .limit_label = "as fast as this machine reads the weights and the cache"};
  for (const StageResult& r : bench.results)
    chart.bars.push_back({.label = r.name,
                          .value = r.decode_tokens_per_s.median(),
                          .min = r.decode_tokens_per_s.min(),
                          .max = r.decode_tokens_per_s.max(),
                          .limit = r.machine.read_bytes_per_s.median() / r.decode_bytes});
  return to_svg(chart);
}

}  // namespace llm
