// bench: every stage of the course on one model in one run, beside what the machine can do.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "common/base/error.h"
#include "common/base/parallel.h"
#include "common/cli/main.h"
#include "common/cli/options.h"
#include "common/cli/report.h"
#include "tests/bench/chart.h"
#include "tests/bench/stages.h"

namespace llm {
namespace {

struct Settings {
  std::string model = "storyteller";
  EngineFlags engine;
  Index threads = num_threads();
  BenchSettings bench;
  bool json = false, quiet = false;
  std::string svg, save;
};

bool read_settings(int argc, char** argv, Settings& s) {
  static constexpr std::string_view kEngineFlags[] = {"engine", "dtype"};
  Options options("bench",
                  "Runs every stage on one model: tokens per second of prefill and of decoding apart, beside "
                  "the machine's own limits, which are measured in between.");
  options.add_text("model", s.model, "a folder, a GGUF file, a name, or random:SHAPE");
  options.add_engine(s.engine, kEngineFlags);
  options.add_integer("threads", s.threads, 1, kMaxThreads, "threads");
  options.add_integer("prompt-tokens", s.bench.prompt_tokens, 1, 100'000, "length of the prompt");
  options.add_integer("new-tokens", s.bench.new_tokens, 1, 100'000, "tokens to decode after it");
  options.add_number("seconds", s.bench.seconds, 0, 3600,
                     "time for each of prefill and decoding, at least 3 runs");
  options.add_flag("json", s.json, "the results as JSON on the standard output");
  options.add_flag("quiet", s.quiet, "no report");
  options.add_text("svg", s.svg, "write a chart to this file");
  options.add_text("save", s.save, "write the JSON to this file too, such as docs/results/bench.json");
  options.add_example("bench --model random:qwen3-0.6b --prompt-tokens 6 --new-tokens 8 --seconds 0");
  if (!options.parse(argc, argv)) return false;
  set_num_threads(static_cast<int>(s.threads));
  return true;
}

// Errors: kUnsupported for a stage or a format that this build's stages do not have.
std::vector<Stage> wanted_stages(const Settings& s) {
  std::vector<Stage> wanted;
  std::string names;
  for (const Stage& stage : stages()) {
    names += (names.empty() ? "" : ", ") + std::string(stage.name);
    if (s.engine.engine.empty() || s.engine.engine == stage.name) wanted.push_back(stage);
  }
  if (wanted.empty())
    fail(ErrorCode::kUnsupported, {.where = "--engine",
                                   .what = "the bench has no stage",
                                   .got = "'" + s.engine.engine + "'",
                                   .expected = "one of " + names});
  if (s.engine.dtype != "file" && s.engine.dtype != "f32")
    fail(ErrorCode::kUnsupported, {.where = "--dtype",
                                   .what = "no stage computes with",
                                   .got = "'" + s.engine.dtype + "'",
                                   .expected = "file or f32: the stages make float32 of all weights"});
  return wanted;
}

void check_length(const ModelConfig& config, const BenchSettings& bench) {
  const Index positions = bench.prompt_tokens + bench.new_tokens + 1;
  if (positions <= config.max_position_embeddings) return;
  fail(ErrorCode::kRange,
       {.where = "--prompt-tokens and --new-tokens",
        .what = "positions",
        .got = std::to_string(positions),
        .expected = fmt::format("at most {} (max_position_embeddings)", config.max_position_embeddings),
        .remedy = "take fewer"});
}

std::string range(const Samples& samples) {
  return fmt::format("{} ({} to {})", human_number(samples.median()), human_number(samples.min()),
                     human_number(samples.max()));
}

std::string percent(double share) { return fmt::format("{} %", human_number(100 * share)); }

struct Shares {
  double prefill_flops, decode_flops, decode_bandwidth;
};
Shares shares(const StageResult& r, const MachineLimits& limits) {
  const double peak = limits.flops_per_s.median(), read = limits.read_bytes_per_s.median();
  return {.prefill_flops = r.prefill_flops * r.prefill_tokens_per_s.median() / peak,
          .decode_flops = r.decode_flops * r.decode_tokens_per_s.median() / peak,
          .decode_bandwidth = r.decode_bytes * r.decode_tokens_per_s.median() / read};
}

void print(const Settings& s, const std::vector<StageResult>& results, const MachineLimits& limits,
           Report& report) {
  report.title(fmt::format("{}: {} tokens, then {} more; {} threads; medians (range)", s.model,
                           s.bench.prompt_tokens, s.bench.new_tokens, num_threads()));
  Table table({"stage", "dtype", "prefill tok/s", "of peak FLOPs", "decode tok/s", "of peak FLOPs",
               "of bandwidth", "moved/token", "memory"});
  for (const StageResult& r : results) {
    const Shares share = shares(r, limits);
    table.add_row({r.stage, r.dtype, range(r.prefill_tokens_per_s), percent(share.prefill_flops),
                   range(r.decode_tokens_per_s), percent(share.decode_flops), percent(share.decode_bandwidth),
                   human_bytes(static_cast<Index>(r.decode_bytes)), human_bytes(r.memory_bytes)});
  }
  report.table(table);
  const double giga = 1e-9;
  report.line("this machine",
              fmt::format("{} GFLOP/s of multiply-adds ({} to {}), {} GB/s read from memory ({} to {})",
                          human_number(limits.flops_per_s.median() * giga),
                          human_number(limits.flops_per_s.min() * giga),
                          human_number(limits.flops_per_s.max() * giga),
                          human_number(limits.read_bytes_per_s.median() * giga),
                          human_number(limits.read_bytes_per_s.min() * giga),
                          human_number(limits.read_bytes_per_s.max() * giga)));
}

std::string to_json(const Settings& s, const std::vector<StageResult>& results, const MachineLimits& limits) {
  JsonWriter json;
  const MachineInfo machine = machine_info();
  json.begin_object().key("machine").begin_object();
  json.field("cpu", machine.cpu).field("system", machine.system).field("isa", isa_name(active_isa()));
  json.field("threads", num_threads());
  write_samples(json, "peak_flops_per_s", limits.flops_per_s);
  write_samples(json, "read_bytes_per_s", limits.read_bytes_per_s);
  json.end_object();
  json.field("compiler", machine.compiler).field("flags", machine.flags).field("date", machine.date);
  json.field("model", s.model)
      .field("prompt_tokens", s.bench.prompt_tokens)
      .field("new_tokens", s.bench.new_tokens);
  json.key("stages").begin_array();
  for (const StageResult& r : results) {
    const Shares share = shares(r, limits);
    json.begin_object().field("stage", r.stage).field("dtype", r.dtype);
    write_samples(json, "prefill_tokens_per_s", r.prefill_tokens_per_s);
    json.field("prefill_share_of_flops", share.prefill_flops);
    write_samples(json, "decode_tokens_per_s", r.decode_tokens_per_s);
    json.field("decode_share_of_flops", share.decode_flops);
    json.field("decode_share_of_bandwidth", share.decode_bandwidth);
    json.field("bytes_per_token", r.decode_bytes).field("memory_bytes", r.memory_bytes).end_object();
  }
  json.end_array().end_object();
  return json.text();
}

std::string to_svg(const Settings& s, const std::vector<StageResult>& results, const MachineLimits& limits) {
  Chart chart{.title = fmt::format("Decoding {}: tokens per second, {} threads", s.model, num_threads()),
              .unit = "tok/s",
              .bars = {},
              .limit = limits.read_bytes_per_s.median() / results.front().decode_bytes,
              .limit_label = "reading every float32 weight once a token"};
  for (const StageResult& r : results)
    chart.bars.push_back({.label = r.stage + " " + r.dtype,
                          .value = r.decode_tokens_per_s.median(),
                          .min = r.decode_tokens_per_s.min(),
                          .max = r.decode_tokens_per_s.max()});
  return to_svg(chart);
}

void write_file(const std::string& flag, const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) fail(ErrorCode::kIo, {.where = flag + " " + path, .what = "cannot be written"});
}

int program(int argc, char** argv) {
  Settings s;
  if (!read_settings(argc, argv, s)) return 0;
  const std::vector<Stage> wanted = wanted_stages(s);
  Report report(s.quiet);
  const OpenModel opened = open_model(s.model, s.quiet);
  check_length(opened.config, s.bench);
  MachineLimits limits;
  std::vector<StageResult> results;
  for (const Stage& stage : wanted) results.push_back(stage.run(opened, s.bench, limits));
  limits.look();

  print(s, results, limits, report);
  const std::string json = to_json(s, results, limits);
  if (s.json) fmt::print("{}\n", json);
  if (!s.save.empty()) write_file("--save", s.save, json + "\n");
  if (!s.svg.empty()) write_file("--svg", s.svg, to_svg(s, results, limits));
  return 0;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
