// bench_cache: what the upkeep of a cache costs beside the decode step that it serves.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/kv_rows.h"
#include "chapters/02_naive_loop/open_model.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/05_fused_cpu/samples.h"
#include "common/base/error.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/base/timing.h"
#include "common/cli/main.h"
#include "common/cli/options.h"
#include "common/cli/report.h"

namespace llm {
namespace {

struct Settings {
  std::string model = "storyteller";
  std::string kinds = "dynamic static";
  Index tokens = 1000, rows = 4, runs = 9, threads = num_threads();
};

// Keys and values of `count` tokens, [count, KH, Dh]: noise.
Tensor<float, 3> noise(const ModelConfig& config, Index count) {
  Tensor<float, 3> values({count, config.num_key_value_heads, config.head_dim});
  const RngKey key = {.purpose = RngPurpose::kTest};
  for (Index i = 0; i < values.size(); ++i)
    values.data()[i] = static_cast<float>(2 * uniform(key, static_cast<std::uint32_t>(i)) - 1);
  return values;
}

// Appends the tokens to every row of every layer.
void append(Cache& cache, View<const float, 3> tokens) {
  for (Index l = 0; l < cache.num_layers(); ++l)
    for (Index row = 0; row < cache.num_rows(); ++row) {
      const RowTokens all{.row = row, .begin = 0, .count = tokens.shape(0)};
      cache.layer(l).update(tokens, tokens, {&all, 1});
    }
}

void crop(Cache& cache, Index length) {
  for (Index row = 0; row < cache.num_rows(); ++row) cache.crop(row, length);
}

// Seconds of f(), the median of some runs after one to warm up; again() puts things back in between.
double median_s(const Settings& s, const std::function<void()>& f, const std::function<void()>& again) {
  Samples samples;
  f();
  again();
  for (Index i = 0; i < s.runs; ++i) {
    const Stopwatch clock;
    f();
    samples.add(clock.seconds());
    again();
  }
  return samples.median();
}

// All keys and values as attention gets them: converted to float32 where they are kept in another format.
void read_all(const ModelConfig& config, Cache& cache) {
  std::vector<Buffer> scratch(static_cast<std::size_t>(config.num_key_value_heads));
  for (Index l = 0; l < cache.num_layers(); ++l)
    for (Index row = 0; row < cache.num_rows(); ++row)
      parallel_for(config.num_key_value_heads, [&](Index head) {
        for (const KvBlock& block : cache.layer(l).blocks(row))
          for (const KvView& view : {block.keys, block.values})
            kv_rows(view, head, 0, block.length, config.head_dim, scratch[static_cast<std::size_t>(head)]);
      });
}

struct Costs {
  double step_s = 0;  // of one token for every row
  double append_s = 0, crop_s = 0, convert_s = 0, permute_s = 0, repeat_s = 0;
};

Costs measure(const Settings& s, Transformer& model, const std::string& kind, Index rows) {
  const ModelConfig& config = model.config();
  const auto cache = model.make_cache({.cache = kind, .num_rows = rows, .max_cache_len = s.tokens + 2});
  append(*cache, noise(config, s.tokens));
  const Tensor<float, 3> one = noise(config, 1);
  append(*cache, one);  // the memory of a dynamic cache grows here
  crop(*cache, s.tokens);
  const auto back = [&] { crop(*cache, s.tokens); };
  const auto nothing = [] {};

  const std::vector<Token> token = {1};
  const std::vector<std::span<const Token>> tokens(static_cast<std::size_t>(rows), token);
  std::vector<Index> permutation(tokens.size()), repetition(tokens.size());
  std::iota(permutation.begin(), permutation.end(), Index{0});
  repetition = permutation;
  std::rotate(permutation.begin(), permutation.begin() + 1, permutation.end());
  if (rows > 1) repetition.back() = 0;  // as a beam that replaces another

  const auto step = [&] {
    model.forward(NewTokens(tokens, *cache).batch(), cache.get(), {.logits_to_keep = 1});
  };
  const auto append_one = [&] { append(*cache, one); };
  const auto read = [&] { read_all(config, *cache); };
  const auto permute = [&] { cache->reorder(permutation); };
  const auto repeat = [&] { cache->reorder(repetition); };

  Costs costs;
  costs.step_s = median_s(s, step, back);
  costs.append_s = median_s(s, append_one, back);
  const bool converts = cache->layer(0).blocks(0)[0].keys.format != KvFormat::kF32;
  if (converts) costs.convert_s = median_s(s, read, nothing);
  costs.crop_s = median_s(s, back, append_one);
  back();
  costs.permute_s = median_s(s, permute, nothing);
  costs.repeat_s = median_s(s, repeat, nothing);
  return costs;
}

// Errors: kUnsupported for a kind that is not there; kUsage for the ring, which needs a window.
std::vector<const CacheKind*> wanted_kinds(const std::string& names) {
  std::vector<const CacheKind*> kinds;
  std::istringstream words(names);
  for (std::string name; words >> name;) {
    kinds.push_back(&find_cache_kind(all_cache_kinds(), name));
    if (name == "sliding")
      fail(ErrorCode::kUsage,
           {.where = "--kinds", .what = "sliding is not timed here", .remedy = "leave it out"});
  }
  if (kinds.empty()) fail(ErrorCode::kUsage, {.where = "--kinds", .what = "names no cache"});
  return kinds;
}

int program(int argc, char** argv) {
  Settings s;
  Options options("bench_cache", "Times what a cache does apart from attention, beside a decode step.");
  options.add_text("model", s.model, "a folder, a GGUF file, a name, or random:SHAPE");
  options.add_text("kinds", s.kinds, "which caches: dynamic static int8 int4");
  options.add_integer("tokens", s.tokens, 1, 1'000'000, "tokens in each row");
  options.add_integer("rows", s.rows, 1, 64, "rows of the second table");
  options.add_integer("runs", s.runs, 1, 1000, "repetitions, of which the median is shown");
  options.add_integer("threads", s.threads, 1, kMaxThreads, "threads");
  if (!options.parse(argc, argv)) return 0;
  set_num_threads(static_cast<int>(s.threads));
  const OpenModel opened = open_model(s.model, true);
  Transformer model(opened.config, opened.checkpoint, any_cache_engine());

  if (s.tokens >= opened.config.max_position_embeddings)
    fail(ErrorCode::kRange, {.where = "--tokens",
                             .what = "and the step after them:",
                             .got = std::to_string(s.tokens + 1),
                             .expected = fmt::format("at most {} (max_position_embeddings)",
                                                     opened.config.max_position_embeddings)});
  const std::vector<const CacheKind*> kinds = wanted_kinds(s.kinds);

  Report report(false, stdout);
  for (const Index rows : {Index{1}, s.rows}) {
    report.title(fmt::format("{}, {} row{} of {} tokens, {} threads; share of a decode step", s.model, rows,
                             rows > 1 ? "s" : "", s.tokens, s.threads));
    Table table({"cache", "decode step", "append", "crop", "convert", "reorder", "reorder, one repeated"});
    for (const CacheKind* kind : kinds) {
      const Costs costs = measure(s, model, std::string(kind->name), rows);
      const auto share = [&](double seconds) -> std::string {
        if (seconds == 0) return "-";
        return fmt::format("{:.2f} % ({})", 100 * seconds / costs.step_s, human_seconds(seconds));
      };
      table.add_row({std::string(kind->name), human_seconds(costs.step_s), share(costs.append_s),
                     share(costs.crop_s), share(costs.convert_s), share(costs.permute_s),
                     share(costs.repeat_s)});
    }
    report.table(table);
  }
  return 0;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
