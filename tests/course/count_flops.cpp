// The arithmetic of generating a text, counted from a model's shape: nothing is computed, no weights are
// read.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/flops.h"
#include "common/cli/json_writer.h"
#include "common/cli/main.h"
#include "common/cli/model_path.h"
#include "common/cli/options.h"
#include "common/cli/report.h"
#include "common/config/known_shapes.h"

namespace llm {
namespace {

constexpr Index kLongest = 100'000'000;  // keeps all sums below 2^63

struct Settings {
  std::string model = "random:qwen3-0.6b";
  Index keys = 50, prompt_tokens = 6, new_tokens = 500;
  bool json = false;
};

bool read_settings(int argc, char** argv, Settings& s) {
  Options options("count_flops",
                  "Counts the work of generating a text with and without a cache, from a model's shape.");
  options.add_text("model", s.model, "a model's name or folder, or random:SHAPE");
  options.add_integer("keys", s.keys, 1, kLongest,
                      "attention's share of a layer where so many keys are seen");
  options.add_integer("prompt-tokens", s.prompt_tokens, 1, kLongest, "tokens to begin with");
  options.add_integer("new-tokens", s.new_tokens, 1, 100'000, "tokens to generate after them");
  options.add_flag("json", s.json, "the numbers as JSON on the standard output");
  options.add_example("count_flops --model random:qwen3-0.6b --keys 111");
  options.add_example("count_flops --model storyteller --prompt-tokens 4 --new-tokens 64 --json");
  return options.parse(argc, argv);
}

ModelConfig config_of(const std::string& name) {
  const ModelSource source = find_model(name);
  return source.is_random() ? random_config(source.random_name) : load_model_config(source.path);
}

double loop_attention_share(const ModelConfig& config, const LoopWork& work, Index new_tokens) {
  const double layers = static_cast<double>(work.positions * config.num_hidden_layers);
  const double head = static_cast<double>(new_tokens) * static_cast<double>(head_flops(config));
  return 1 - (layers * static_cast<double>(linear_flops(config)) + head) / work.flops;
}

void write_work(JsonWriter& json, const std::string& name, const ModelConfig& config, const LoopWork& work,
                Index new_tokens) {
  json.key(name).begin_object();
  json.field("positions", work.positions).field("redundant", work.redundant()).field("flops", work.flops);
  json.field("attention_share", loop_attention_share(config, work, new_tokens)).end_object();
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

int program(int argc, char** argv) {
  Settings s;
  if (!read_settings(argc, argv, s)) return 0;
  const ModelConfig config = config_of(s.model);
  const LoopWork naive = naive_work(config, s.prompt_tokens, s.new_tokens);
  const LoopWork cached = cached_work(config, s.prompt_tokens, s.new_tokens);
  const double share = attention_share(config, s.keys);
  if (s.json) {
    JsonWriter json;
    json.begin_object().field("model", s.model).field("vocab_size", config.vocab_size);
    json.field("linear_flops", linear_flops(config)).field("head_flops", head_flops(config));
    json.field("attention_flops_per_key", attention_flops(config, 1));
    json.field("keys", s.keys).field("attention_share", share);
    json.field("break_even_keys", attention_break_even(config));
    json.field("prompt_tokens", s.prompt_tokens).field("new_tokens", s.new_tokens);
    write_work(json, "naive", config, naive, s.new_tokens);
    write_work(json, "cached", config, cached, s.new_tokens);
    fmt::print("{}\n", json.end_object().text());
    return 0;
  }
  Report report(false, stdout);
  report.text(fmt::format("One layer, one position of {}", s.model));
  report.line("linear layers", fmt::format("{} FLOP", human_count(linear_flops(config))));
  report.line("attention",
              fmt::format("{} FLOP for {} keys: {} of the layer",
                          human_count(attention_flops(config, s.keys)), human_count(s.keys), percent(share)));
  report.line("equal at", fmt::format("{} keys", human_number(attention_break_even(config))));
  report.title(fmt::format("{} tokens after {}", human_count(s.new_tokens), human_count(s.prompt_tokens)));
  Table table({"loop", "positions", "TFLOP", "attention"});
  for (const auto& [name, work] : {std::pair("without a cache", naive), std::pair("with a cache", cached)})
    table.add_row({name, human_count(work.positions), human_number(work.flops / 1e12),
                   percent(loop_attention_share(config, work, s.new_tokens))});
  report.table(table);
  return 0;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
