// bench: every stage of the course on one model in one run, beside what the machine can do; or one stage.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ostream>

#include "chapters/04_preallocated_cache/cache_flags.h"
#include "chapters/07_sampling/engines.h"
#include "common/base/error.h"
#include "common/base/parallel.h"
#include "common/cli/main.h"
#include "common/cli/parse_number.h"
#include "common/cli/progress.h"
#include "common/io/write_file.h"
#include "tests/bench/bench_report.h"

namespace llm {
namespace {

struct Settings {
  std::string model = "storyteller";
  EngineFlags engine;
  CacheFlags cache;
  Workload work;
  Index sum_mib = 1024;
  bool one_stage = false;
  bool json = false, quiet = false;
  std::string svg, save;
};

void add_work(Options& options, Workload& work) {
  const std::string before = options.group("Work");
  options.add_integer("batch", work.batch, 1, 4096, "sequences that are written together");
  options.add_integer("prompt-tokens", work.prompt_tokens, 1, 1'000'000, "length of each prompt");
  options.add_integer("new-tokens", work.new_tokens, 1, 1'000'000, "tokens to decode after it");
  options.add_integer("depth", work.depth, 0, 1'000'000, "tokens that the cache holds before the prompt");
  options.add_number("seconds", work.seconds, 0, 3600, "time for each stage, at least 3 runs");
  options.group(before);
}

bool read_settings(int argc, char** argv, Settings& s) {
  static constexpr std::string_view kEngineFlags[] = {"engine", "dtype", "compute"};
  Options options(
      "bench",
      "Measures every stage on one model: tokens per second of prefill and of decoding apart, "
      "beside the machine's own limits, which are measured in between. With an engine, a cache or "
      "a number format: that stage alone.");
  bool compare = false;
  options.add_text("model", s.model, "a folder, a GGUF file, a name, or random:SHAPE");
  options.add_value(
      "threads", "N", "threads to compute with (default: all processors)",
      [](const std::string& text) { set_num_threads(parse_number<int>("--threads", text, 1, kMaxThreads)); });
  options.add_engine(s.engine, kEngineFlags);
  s.cache.engine.cache = "dynamic";
  add_cache_flags(options, s.cache);
  add_work(options, s.work);
  options.add_integer("sum-mib", s.sum_mib, 1, 65'536,
                      "memory that is summed to see how fast it is read, in MiB");
  options.add_flag("json", s.json, "the results as JSON on the standard output");
  options.add_flag("quiet", s.quiet, "no report");
  options.add_text("svg", s.svg, "write a chart to this file");
  options.add_text("save", s.save, "write the JSON to this file too, such as docs/results/bench.json");
  options.add_flag("compare", compare, "run llama.cpp and transformers beside it (bench --compare --help)");
  options.add_example("bench --model random:qwen3-0.6b --prompt-tokens 6 --new-tokens 8 --seconds 0");
  options.add_example("bench --engine cached --cache int8 --batch 4 --depth 500 --json");
  if (!options.parse(argc, argv)) return false;
  for (const char* flag : {"engine", "dtype", "quantize", "compute", "cache", "offload", "cache-dtype"})
    s.one_stage = s.one_stage || options.given(flag);
  const bool cached_flag = options.given("cache") || options.given("offload") || options.given("cache-dtype");
  if (s.engine.engine.empty()) s.engine.engine = engines().back().name;
  if (cached_flag && !find_engine(s.engine.engine).has_cache)
    fail(ErrorCode::kUnsupported, {.where = "--cache",
                                   .what = "engine " + s.engine.engine + " has none",
                                   .remedy = "choose another --engine"});
  return true;
}

std::vector<Stage> wanted_stages(const Settings& s, const ModelFacts& model) {
  if (s.one_stage)
    return {{.engine = s.engine.engine,
             .cache = cache_spec(s.cache, {}),
             .dtype = s.engine.dtype,
             .compute = s.engine.compute}};
  std::vector<Stage> stages = all_stages(model);
  for (Stage& stage : stages) {
    const std::string kind = stage.cache.cache;
    stage.cache = cache_spec(s.cache, {});  // its window, for one, is for all
    stage.cache.cache = kind;
  }
  return stages;
}

// All that can be run; what cannot is said, unless it is all.
BenchReport measure(const Settings& s) {
  const ModelFacts model = model_facts(s.model);
  const std::vector<Stage> stages = wanted_stages(s, model);
  if (s.one_stage) check_workload(model.config, stages.front(), s.work);
  BenchReport bench{.model = s.model, .config = model.config, .work = s.work, .results = {}, .left_out = {}};
  const MachineProbe machine(s.sum_mib << 20);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string name = stage_name(stages[i], model);
    const std::string label = fmt::format("{} of {}: {}", i + 1, stages.size(), name);
    try {
      bench.results.push_back(run_stage(s.model, model, stages[i], s.work, machine, s.quiet,
                                        progress_bar(label, s.quiet, /*bytes=*/false)));
    } catch (const Error& error) {
      if (bench.results.empty() && i + 1 == stages.size()) throw;
      bench.left_out.push_back(name + ": " + error.what());
    }
  }
  return bench;
}

// `bench --compare ...` becomes tests/bench/compare.py with the other arguments: peers are Python packages.
void run_compare(int argc, char** argv) {
  const char* python = std::getenv("PYTHON");
  std::vector<std::string> words = {python != nullptr ? python : "python3",
                                    LLM_SOURCE_DIR "/tests/bench/compare.py", "--bench", argv[0]};
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--compare") != 0) words.emplace_back(argv[i]);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  fail(ErrorCode::kMissing, {.where = "--compare",
                             .what = "cannot run",
                             .got = words[0],
                             .remedy = "install Python 3, or name it: PYTHON=/path/to/python"});
}

int program(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--compare") == 0) run_compare(argc, argv);
  Settings s;
  if (!read_settings(argc, argv, s)) return 0;
  Report report(s.quiet);
  const BenchReport bench = measure(s);
  print_report(bench, report);
  const std::string json = json_report(bench);
  if (s.json) fmt::print("{}\n", json);
  if (!s.save.empty()) write_file(s.save, [&](std::ostream& file) { file << json << "\n"; });
  if (!s.svg.empty()) write_file(s.svg, [&](std::ostream& file) { file << svg_report(bench); });
  return 0;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
