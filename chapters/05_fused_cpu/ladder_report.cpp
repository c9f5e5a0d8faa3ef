#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chapters/05_fused_cpu/fused_report.h"
#include "chapters/05_fused_cpu/ladder.h"
#include "common/base/isa.h"
#include "common/base/parallel.h"
#include "common/cli/json_writer.h"

namespace llm {
namespace {

struct RowSpeeds {
  double prefill_tokens_per_s, prefill_flops_per_s, decode_tokens_per_s, decode_bytes_per_s;
};

RowSpeeds speeds(const LadderWork& work, const LadderRow& row) {
  const double prefill_s = row.prefill_s.median(), step_s = row.step_s.median();
  return {static_cast<double>(work.prompt_tokens) / prefill_s, row.prefill_flops / prefill_s, 1 / step_s,
          row.step_bytes / step_s};
}

std::string gain(double speed, double before) { return fmt::format("{:.1f}", speed / before); }

// In columns, with what the machine can do and step 1 to compare with.
std::vector<std::string> cells(const Ladder& ladder, const LadderRow& row) {
  const std::string number = std::to_string(row.number);
  const std::string error = row.error == 0 ? "0" : fmt::format("{:.0e}", row.error);
  if (!row.passed()) return {number, row.name, error, "WRONG", "-", "-", "-", "-", "-", "-", "-"};
  const RowSpeeds now = speeds(ladder.work, row);
  std::string prefill_gain = "-", decode_gain = "-";
  if (const LadderRow& first = ladder.rows.front(); first.passed()) {
    const RowSpeeds before = speeds(ladder.work, first);
    prefill_gain = gain(now.prefill_tokens_per_s, before.prefill_tokens_per_s);
    decode_gain = gain(now.decode_tokens_per_s, before.decode_tokens_per_s);
  }
  return {number,
          row.name,
          error,
          human_number(now.prefill_tokens_per_s),
          human_number(now.prefill_flops_per_s * 1e-9),
          percent(now.prefill_flops_per_s / ladder.machine.flops_per_s.median()),
          prefill_gain,
          human_number(now.decode_tokens_per_s),
          human_number(now.decode_bytes_per_s * 1e-9),
          percent(now.decode_bytes_per_s / ladder.machine.read_bytes_per_s.median()),
          decode_gain};
}

void print_legend(const Ladder& ladder, Report& report) {
  report.line("error", "of a score at most, against chapter 02's; a share of the largest score");
  report.line("prefill, decode", ladder.work.runs == 1
                                     ? "tok/s, of one run"
                                     : fmt::format("tok/s: the medians of {} runs", ladder.work.runs));
  report.line("peak", fmt::format("{} GFLOP/s of multiply-adds, measured in between",
                                  human_number(ladder.machine.flops_per_s.median() * 1e-9)));
  report.line("read", fmt::format("{} GB/s of sums over 1 GiB, measured in between",
                                  human_number(ladder.machine.read_bytes_per_s.median() * 1e-9)));
  report.line("gain", "over step 1");
  report.line("fast", "what is multiplied with the weights is rounded to BF16 or INT8");
  for (const std::string& note : ladder.notes) report.text(note);
}

void write_row(JsonWriter& json, const Ladder& ladder, const LadderRow& row) {
  json.begin_object().field("step", row.number).field("name", row.name).field("weights", row.weights);
  json.field("error", row.error).field("tolerance", row.tolerance).field("passed", row.passed());
  if (row.passed()) {
    const RowSpeeds s = speeds(ladder.work, row);
    json.field("prefill_s", row.prefill_s.median()).field("step_s", row.step_s.median());
    json.field("prefill_tokens_per_s", s.prefill_tokens_per_s);
    json.field("prefill_flops_per_s", s.prefill_flops_per_s);
    json.field("decode_tokens_per_s", s.decode_tokens_per_s);
    json.field("decode_bytes_per_s", s.decode_bytes_per_s);
  }
  json.field("step_bytes", row.step_bytes).end_object();
}

}  // namespace

void print_ladder(const Ladder& ladder, Report& report) {
  const LadderWork& work = ladder.work;
  std::string title = fmt::format("The ladder: {}, {} tokens, then {} more", ladder.model,
                                  human_count(work.prompt_tokens), human_count(work.new_tokens));
  if (work.depth > 0) title += fmt::format(", after {} in the cache", human_count(work.depth));
  report.title(title);
  const std::string& weights = ladder.rows[2].weights;  // the first two compute with float32 copies
  report.text(
      fmt::format("  {} weights from step 3 on; {}; {}", weights,
                  num_threads() == 1 ? "1 thread" : fmt::format("{} threads from step 2 on", num_threads()),
                  isa_name(active_isa())),
      Style::kDim);
  Table table({"", "step", "error", "prefill", "GFLOP/s", "peak", "gain", "decode", "GB/s", "read", "gain"});
  for (const LadderRow& row : ladder.rows) table.add_row(cells(ladder, row));
  report.table(table);
  print_legend(ladder, report);
  if (!ladder.passed()) report.text("A step that is WRONG has no speed worth telling.", Style::kBad);
}

std::string json_ladder(const Ladder& ladder) {
  JsonWriter json;
  json.begin_object().field("program", "05_fused_cpu").field("model", ladder.model);
  json.field("isa", isa_name(active_isa())).field("threads", num_threads());
  json.field("prompt_tokens", ladder.work.prompt_tokens).field("new_tokens", ladder.work.new_tokens);
  json.field("depth", ladder.work.depth).field("runs", ladder.work.runs);
  json.field("peak_flops_per_s", ladder.machine.flops_per_s.median());
  json.field("read_bytes_per_s", ladder.machine.read_bytes_per_s.median());
  json.key("ladder").begin_array();
  for (const LadderRow& row : ladder.rows) write_row(json, ladder, row);
  return json.end_array().field("notes", ladder.notes).end_object().text();
}

}  // namespace llm
