// The command line: flags with checks, defaults and examples. CLI11 does the work, in options.cpp only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/types.h"
#include "common/config/generation_config.h"

namespace llm {

// The flags that every program has.
struct CommonFlags {
  std::string model = "storyteller";  // --model: see common/cli/model_path.h
  std::string prompt;                 // --prompt: empty: the program's own
  std::uint64_t seed = 0;             // --seed
  int threads = 0;                    // --threads: 0: all processors; parse() has already set it
  bool json = false;                  // --json: the report as JSON on the standard output
  bool quiet = false;                 // --quiet: no report, no progress bar
};

// The flags of programs that run a model. Spelt alike in flags and JSON everywhere.
struct EngineFlags {
  std::string engine;             // --engine: naive, cached, fused, cuda; empty: the program's choice
  std::string cache;              // --cache: dynamic, static, sliding, int8, int4, offloaded
  std::string dtype = "file";     // --dtype, --quantize: file, f32, bf16, f16, q8_0, q4_0
  std::string compute = "exact";  // --compute: exact, fast
  bool offload = false;           // --offload; also by --cache offloaded, which is then "dynamic"
};
std::span<const std::string_view> engine_names();
std::span<const std::string_view> cache_names();
std::span<const std::string_view> dtype_names();

// Declare everything, then parse(). Targets keep their value when the flag is not given; that value is shown
// as the default in --help. They must outlive parse().
class Options {
 public:
  // description: one or two sentences, the head of --help.
  Options(std::string program, std::string description);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // --model, --prompt, --seed, --threads, --json, --quiet. --help is always there.
  void add_common(CommonFlags& flags);
  // --jsonl: for programs that answer JSON lines.
  void add_jsonl(bool& jsonl);
  // --engine, --cache, --dtype, --compute, --offload: those that are named here.
  void add_engine(EngineFlags& flags, std::span<const std::string_view> names);
  // One flag a field of the generation config: top_k is --top-k. Ranges and help come from the field table;
  // what is given on the command line is marked as given in `config`.
  void add_generation(GenerationConfig& config, std::span<const std::string_view> fields);

  // One flag of the program's own; name without dashes ("ignore-eos"). A flag may be given once.
  void add_flag(const std::string& name, bool& target, const std::string& help);
  void add_integer(const std::string& name, Index& target, Index min, Index max, const std::string& help);
  void add_integer(const std::string& name, std::optional<Index>& target, Index min, Index max,
                   const std::string& help);
  void add_number(const std::string& name, double& target, double min, double max, const std::string& help);
  // The text may not be empty.
  void add_text(const std::string& name, std::string& target, const std::string& help);
  void add_texts(const std::string& name, std::vector<std::string>& target, const std::string& help);
  void add_choice(const std::string& name, std::string& target, std::span<const std::string_view> choices,
                  const std::string& help);
  // An argument without a flag, such as `inspect PATH`.
  void add_argument(const std::string& name, std::string& target, bool required, const std::string& help);

  // The general form: `set` gets the text after all flags have been read, in the order of declaration.
  // type: what --help calls the value.
  void add_value(const std::string& name, const std::string& type, const std::string& help,
                 std::function<void(const std::string&)> set, bool repeatable = false);
  void add_switch(const std::string& name, const std::string& help, std::function<void(bool)> set);
  // What parse() does at its end.
  void after_parse(std::function<void()> action);
  // The heading in --help of what is added from here on (empty: not in the help). Returns the one before.
  std::string group(const std::string& heading);

  // A line for the end of --help: "02_naive_loop --prompt 'Once upon a time'".
  void add_example(const std::string& line);

  // False if --help was asked for and has been printed: the program then returns 0.
  // Errors: kUsage for an unknown flag (with the one that comes nearest), a missing value, a value of another
  // type or not among the choices; kRange.
  bool parse(int argc, const char* const* argv);

  // Whether the flag was on the command line.
  bool given(const std::string& name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace llm
