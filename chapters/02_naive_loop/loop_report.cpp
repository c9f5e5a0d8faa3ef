#include "chapters/02_naive_loop/loop_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "chapters/02_naive_loop/flops.h"
#include "common/base/parallel.h"
#include "common/base/timing.h"
#include "common/cli/json_writer.h"
#include "common/config/tensor_specs.h"

namespace llm {
namespace {

constexpr Index kChartWidth = 64;

// What both reports say.
struct Numbers {
  Index new_tokens = 0;
  double prefill_s = 0, decode_s = 0;
  LoopWork work;
  double attention = 0;  // share of the arithmetic
};

Numbers count(const ModelConfig& config, const LoopRun& run) {
  Numbers numbers;
  numbers.new_tokens = static_cast<Index>(run.new_tokens.size());
  numbers.prefill_s = run.prefill_s();
  numbers.decode_s = run.decode_s();
  numbers.work = naive_work(config, run.prompt_tokens, numbers.new_tokens);
  double linear = static_cast<double>(numbers.new_tokens) * static_cast<double>(head_flops(config));
  linear += static_cast<double>(numbers.work.positions * config.num_hidden_layers) *
            static_cast<double>(linear_flops(config));
  numbers.attention = numbers.work.flops > 0 ? 1 - linear / numbers.work.flops : 0;
  return numbers;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

void print_time(const LoopRun& run, const Numbers& n, Report& report) {
  report.line("prefill", fmt::format("{} for the first token: {}", human_seconds(n.prefill_s),
                                     human_rate(run.prompt_tokens, n.prefill_s)));
  if (n.new_tokens < 2) return;
  report.line("decode", fmt::format("{} for the other {}: {}", human_seconds(n.decode_s), n.new_tokens - 1,
                                    human_rate(n.new_tokens - 1, n.decode_s)));
  report.title("Time per token: every step computes everything again");
  report.text("  " + sparkline(run.seconds, kChartWidth));
  Table table({"token", "positions", "ms"});
  const auto add = [&](Index i) {
    table.add_row({std::to_string(i), human_count(run.prompt_tokens + i - 1),
                   fmt::format("{:.2f}", 1e3 * run.seconds[static_cast<std::size_t>(i - 1)])});
  };
  Index i = 1;
  for (; i < n.new_tokens; i *= 2) add(i);
  add(n.new_tokens);
  report.table(table);
}

void print_work(const ModelConfig& config, const Numbers& n, const LoopRun& run, Report& report) {
  const double seconds = n.prefill_s + n.decode_s;
  report.title("Work");
  report.line("positions computed", human_count(n.work.positions));
  report.line("  of them redundant",
              fmt::format("{} ({}): computed in an earlier step, with the same result",
                          human_count(n.work.redundant()),
                          percent(static_cast<double>(n.work.redundant()) /
                                  static_cast<double>(std::max<Index>(n.work.positions, 1)))));
  report.line("arithmetic", fmt::format("{} GFLOP, of it attention {}", human_number(n.work.flops / 1e9),
                                        percent(n.attention)));
  report.line("  needed",
              fmt::format("{} GFLOP if nothing were computed twice",
                          human_number(cached_work(config, run.prompt_tokens, n.new_tokens).flops / 1e9)));
  report.line("speed", seconds > 0 ? fmt::format("{} GFLOP/s with {} threads",
                                                 human_number(n.work.flops / seconds / 1e9), num_threads())
                                   : "-");
}

}  // namespace

std::string sparkline(std::span<const double> values, Index width) {
  constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const auto count = static_cast<Index>(values.size());
  const Index columns = std::min(count, width);
  std::vector<double> averages;
  for (Index c = 0; c < columns; ++c) {
    const auto part =
        values.subspan(static_cast<std::size_t>(c * count / columns),
                       static_cast<std::size_t>((c + 1) * count / columns - c * count / columns));
    averages.push_back(std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(part.size()));
  }
  const double largest = averages.empty() ? 0 : *std::ranges::max_element(averages);
  std::string line;
  for (const double average : averages)
    line += kBars[static_cast<std::size_t>(largest > 0 ? std::clamp(8 * average / largest, 0.0, 7.0) : 0)];
  return line;
}

void print_warnings(const OpenModel& opened, const std::vector<std::string>& unused_tensors, Report& report) {
  for (const std::string& warning : opened.warnings) report.warning(warning);
  for (const std::string& name : unused_tensors)
    report.warning(fmt::format("tensor '{}' has no place in a {} model", name, opened.config.model_type));
}

void print_report(const OpenModel& opened, const Transformer& model, const LoopRun& run, Report& report) {
  const ModelConfig& config = model.config();
  const Numbers n = count(config, run);
  report.title(fmt::format("Naive loop: {} ({}, {} layers, {} parameters)", opened.name, config.model_type,
                           config.num_hidden_layers, human_count(num_parameters(config))));
  report.line("prompt", fmt::format("{} tokens", run.prompt_tokens));
  report.line("new", fmt::format("{} tokens, ended by {}", n.new_tokens,
                                 run.finish_reason == "eos" ? "an end token" : "the limit"));
  print_time(run, n, report);
  print_work(config, n, run, report);
  report.title("Memory");
  report.line("weights", human_bytes(model.weight_bytes()));
  report.line("float32 copies", model.copied_bytes() > 0 ? human_bytes(model.copied_bytes())
                                                         : "none: the file is float32 already");
  report.line("peak", human_bytes(peak_resident_bytes()));
  report.line("load", human_seconds(run.load_s));
}

std::string json_report(const OpenModel& opened, const Transformer& model, const LoopRun& run) {
  const Numbers n = count(model.config(), run);
  JsonWriter json;
  json.begin_object().field("program", "02_naive_loop").field("model", opened.name);
  json.field("text", opened.tokenizer->decode(run.new_tokens, /*skip_special_tokens=*/true));
  json.field("new_tokens", run.new_tokens).field("finish_reason", run.finish_reason);
  json.key("stats").begin_object();
  json.field("threads", num_threads())
      .field("prompt_tokens", run.prompt_tokens)
      .field("new_tokens", n.new_tokens);
  json.field("load_s", run.load_s).field("prefill_s", n.prefill_s).field("decode_s", n.decode_s);
  json.field("prefill_tokens_per_s",
             n.prefill_s > 0 ? static_cast<double>(run.prompt_tokens) / n.prefill_s : 0.0);
  json.field("decode_tokens_per_s",
             n.decode_s > 0 ? static_cast<double>(n.new_tokens - 1) / n.decode_s : 0.0);
  json.field("seconds_per_token", run.seconds);
  json.field("positions", n.work.positions).field("redundant_positions", n.work.redundant());
  json.field("flops", n.work.flops).field("attention_share", n.attention);
  json.field("weight_bytes", model.weight_bytes()).field("copied_bytes", model.copied_bytes());
  json.field("peak_bytes", peak_resident_bytes());
  json.end_object().end_object();
  return json.text();
}

}  // namespace llm
