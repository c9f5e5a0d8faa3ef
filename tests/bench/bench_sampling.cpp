// How long the processors and the draw take for one token. tests/parity/sampling_speed.py compares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "chapters/07_sampling/draw.h"
#include "chapters/07_sampling/processors.h"
#include "common/base/error.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/base/timing.h"
#include "common/cli/json_writer.h"
#include "common/cli/main.h"
#include "common/cli/options.h"

namespace llm {
namespace {

constexpr std::uint32_t kRows = 8;  // of scores, used in turn
constexpr std::string_view kFields[] = {"temperature", "top_k",          "top_p",
                                        "min_p",       "top_h",          "typical_p",
                                        "eta_cutoff",  "epsilon_cutoff", "repetition_penalty"};

// A normal distribution, as scores roughly have (Box and Muller 1958).
std::vector<float> random_scores(Index V, std::uint32_t stream) {
  std::vector<float> scores;
  const RngKey key{.seed = 11, .sequence = stream, .purpose = RngPurpose::kTest};
  for (Index v = 0; v < V; ++v) {
    const auto i = static_cast<std::uint32_t>(2 * v);
    const double radius = std::sqrt(-2 * std::log(1 - uniform(key, i)));
    scores.push_back(static_cast<float>(3 * radius * std::cos(6.283185307179586 * uniform(key, i + 1))));
  }
  return scores;
}

// A file of float32 numbers, one row of scores after the other.
std::vector<std::vector<float>> read_scores(const std::string& file, Index V) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::vector<float>> rows;
  std::vector<float> row(static_cast<std::size_t>(V));
  const auto bytes = static_cast<std::streamsize>(row.size() * sizeof(float));
  while (in.read(reinterpret_cast<char*>(row.data()), bytes)) rows.push_back(row);
  if (rows.empty())
    fail(ErrorCode::kIo, {.where = file, .what = "has no row of", .got = std::to_string(V) + " scores"});
  return rows;
}

struct Stage {
  std::string name;
  std::vector<double> seconds;
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

// The whole choice as a program does it, and each processor alone.
std::vector<Stage> measure(const GenerationConfig& config, const std::vector<std::vector<float>>& rows,
                           Index context, Index runs) {
  const Index V = std::ssize(rows[0]);
  std::vector<Token> ids;
  for (Index i = 0; i < context; ++i) ids.push_back(static_cast<Token>((i * 7919 + 13) % V));
  const View<const Token, 2> row(ids.data(), {1, context});
  const LogitsProcessorList list =
      make_processors(config, {.prompt_length = context, .max_length = context + runs, .vocab_size = V});
  std::vector<Stage> stages = {{"all", {}}};
  for (const ProcessorPtr& processor : list.processors())
    stages.push_back({std::string(processor->name()), {}});
  stages.push_back({"draw", {}});
  Tensor<float, 2> scores({1, V});
  Token sum = 0;
  for (Index i = -3; i < runs; ++i) {
    const std::vector<float>& logits = rows[static_cast<std::size_t>(i + 3) % rows.size()];
    const auto add = [&](Stage& stage, double seconds) {
      if (i >= 0) stage.seconds.push_back(seconds);  // the first three warm up
    };
    Stopwatch clock;
    std::ranges::copy(logits, scores.data());
    list.run(row, scores);
    sum += draw(scores[0], uniform({.seed = 1, .position = static_cast<std::uint32_t>(i + 3)}));
    add(stages[0], clock.seconds());

    std::ranges::copy(logits, scores.data());
    for (std::size_t p = 0; p < list.processors().size(); ++p) {
      clock.reset();
      (*list.processors()[p])(row, scores);
      add(stages[p + 1], clock.seconds());
    }
    clock.reset();
    sum += draw(scores[0], 0.5);
    add(stages.back(), clock.seconds());
  }
  if (sum < 0) stages.clear();  // so that no draw is optimised away
  return stages;
}

int program(int argc, char** argv) {
  Options options("bench_sampling",
                  "Times the processors and the draw, on one thread. The default is Qwen's.");
  Index vocab_size = 151936, context = 512, runs = 200;
  GenerationConfig config;
  config.do_sample = true;
  for (const auto& [name, value] :
       {std::pair{"repetition_penalty", "1.1"}, {"temperature", "0.7"}, {"top_k", "20"}, {"top_p", "0.8"}})
    set_generation_field(config, name, value, "default");
  options.add_integer("vocab-size", vocab_size, 1, 10'000'000, "scores of a token");
  options.add_integer("context", context, 1, 1'000'000, "tokens so far");
  options.add_integer("runs", runs, 1, 1'000'000, "tokens to choose");
  bool json = false;
  std::string file;
  options.add_text("scores", file, "take the scores from this file of float32 numbers, in rows");
  options.add_flag("json", json, "the result as one JSON object");
  options.add_generation(config, kFields);
  if (!options.parse(argc, argv)) return 0;
  set_num_threads(1);
  std::vector<std::vector<float>> rows;
  if (!file.empty()) rows = read_scores(file, vocab_size);
  for (std::uint32_t row = 0; file.empty() && row < kRows; ++row)
    rows.push_back(random_scores(vocab_size, row));
  const std::vector<Stage> stages = measure(config, rows, context, runs);
  JsonWriter writer;
  writer.begin_object();
  for (const Stage& stage : stages) {
    const auto [low, high] = std::ranges::minmax(stage.seconds);
    if (!json)
      fmt::print("{:<22} {:8.1f} us  (min {:.1f}, max {:.1f})\n", stage.name, 1e6 * median(stage.seconds),
                 1e6 * low, 1e6 * high);
    writer.field(stage.name, median(stage.seconds));
  }
  if (json) fmt::print("{}\n", writer.end_object().text());
  return 0;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
