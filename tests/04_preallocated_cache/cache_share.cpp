// How much of a decode step goes to the cache: appending, and turning codes into numbers again. A
// measurement, not a test: cache_share [MODEL [TOKENS]].
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "chapters/02_naive_loop/kv_rows.h"
#include "chapters/02_naive_loop/open_model.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "common/base/timing.h"
#include "common/cli/main.h"
#include "common/cli/report.h"

namespace llm {
namespace {

// A layer that counts the seconds spent in it.
class TimedLayer : public CacheLayer {
 public:
  TimedLayer(std::unique_ptr<CacheLayer> layer, double& seconds)
      : layer_(std::move(layer)), seconds_(seconds) {}
  void update(View<const float, 3> k, View<const float, 3> v, std::span<const RowTokens> r) override {
    timed([&] { layer_->update(k, v, r); });
  }
  std::span<const KvBlock> blocks(Index row) const override {
    std::span<const KvBlock> result;
    timed([&] { result = layer_->blocks(row); });
    return result;
  }
  Index num_rows() const override { return layer_->num_rows(); }
  Index get_seq_length(Index row) const override { return layer_->get_seq_length(row); }
  void crop(Index row, Index length) override {
    timed([&] { layer_->crop(row, length); });
  }
  void reorder(std::span<const Index> rows) override {
    timed([&] { layer_->reorder(rows); });
  }
  void add_rows(Index count) override { layer_->add_rows(count); }
  void reset() override { layer_->reset(); }
  void offload() override {
    timed([&] { layer_->offload(); });
  }
  void prefetch() override {
    timed([&] { layer_->prefetch(); });
  }
  Index memory_bytes() const override { return layer_->memory_bytes(); }

 private:
  template <class F>
  void timed(F f) const {
    const Stopwatch clock;
    f();
    seconds_ += clock.seconds();
  }
  std::unique_ptr<CacheLayer> layer_;
  double& seconds_;
};

// Every key and value of row 0 as float32 once, as attention does it in a decode step.
double read_seconds(Cache& cache, const ModelConfig& config) {
  Buffer scratch;
  const Stopwatch clock;
  for (Index l = 0; l < cache.num_layers(); ++l)
    for (const KvBlock& block : cache.layer(l).blocks(0))
      for (const KvView& view : {block.keys, block.values})
        for (Index head = 0; head < config.num_key_value_heads; ++head)
          (void)kv_rows(view, head, 0, block.length, config.head_dim, scratch);
  return clock.seconds();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void measure(const OpenModel& opened, const CacheSpec& spec, Index tokens, Table& table) {
  double in_cache = 0;
  TransformerOptions options;
  const CacheKind& kind = find_cache_kind(all_cache_kinds(), spec.cache);
  options.cache_factory = [&](const void* maker, const ModelConfig& config, const CacheSpec& asked) {
    std::vector<std::unique_ptr<CacheLayer>> layers;
    for (Index l = 0; l < config.num_hidden_layers; ++l)
      layers.push_back(std::make_unique<TimedLayer>(kind.make_layer(config, asked, l, 1), in_cache));
    return std::make_unique<LayeredCache>(maker, std::move(layers));
  };
  Transformer model(opened.config, opened.checkpoint, options);
  const auto cache = model.make_cache(spec);
  const std::vector<Token> prompt(static_cast<std::size_t>(tokens), 5);
  prefill(model, *cache, prompt, 256);
  constexpr int kSteps = 20;
  const std::vector<Token> next = {7};
  std::vector<double> steps, shares, reads;
  for (int i = 0; i < kSteps; ++i) {
    in_cache = 0;
    const NewTokens step(next, *cache);
    const Stopwatch clock;
    model.forward(step.batch(), cache.get(), {.logits_to_keep = 1});
    steps.push_back(clock.seconds());
    cache->crop(0, tokens);
    cache->reorder(std::vector<Index>{0});
    shares.push_back(in_cache);
    reads.push_back(read_seconds(*cache, opened.config));
  }
  const double step = median(steps), cached = median(shares), read = median(reads);
  table.add_row({cache_name(spec), human_seconds(step), human_seconds(cached),
                 fmt::format("{:.2f} %", 100 * cached / step), human_seconds(read),
                 fmt::format("{:.1f} %", 100 * read / step)});
}

int program(int argc, char** argv) {
  const OpenModel opened = open_model(argc > 1 ? argv[1] : "random:smollm2-135m", false);
  const Index tokens = argc > 2 ? std::atoll(argv[2]) : 1024;
  Table table({"cache", "decode step", "append, crop, reorder", "share", "dequantize (1 thread)", "share"});
  for (const char* dtype : {"f32", "bf16"})
    for (const char* kind : {"dynamic", "static", "int8", "int4"})
      measure(opened, {.cache = kind, .cache_dtype = dtype, .max_cache_len = tokens + 8}, tokens, table);
  Report(false, stdout).table(table);
  return 0;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
