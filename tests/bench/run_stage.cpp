#include "tests/bench/run_stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "chapters/02_naive_loop/flops.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "chapters/07_sampling/engines.h"
#include "common/base/error.h"
#include "common/base/timing.h"
#include "common/cli/progress.h"
#include "tests/bench/step_times.h"

namespace llm {
namespace {

constexpr Index kLeastRuns = 3, kMostRuns = 50;
constexpr Index kLooks = 5;
constexpr double kSmallStepSeconds = 0.02;
constexpr Index kReach[] = {500, 2000};

// What a step reads of the weights: every matrix once, but of the embeddings a row, unless they are the head.
double weight_bytes(const Stage& stage, const OpenModel& opened) {
  const ModelConfig& config = opened.config;
  if (computes_float32(stage.engine)) {
    const Index weights = (config.num_hidden_layers * linear_flops(config) + head_flops(config)) / 2;
    return static_cast<double>(weights) * 4;
  }
  const bool own_head = opened.checkpoint->has("lm_head.weight");
  double bytes = 0;
  for (const Checkpoint::Entry& entry : opened.checkpoint->entries()) {
    const TensorEntry& tensor = entry.tensor;
    if (tensor.shape.size() != 2 || !tensor.dtype) continue;
    if (own_head && tensor.name == "model.embed_tokens.weight") continue;
    const DType dtype = stage.dtype == "file" ? *tensor.dtype : *dtype_from_name(stage.dtype);
    bytes += static_cast<double>(tensor.shape[0] * row_bytes(dtype, tensor.shape[1]));
  }
  return bytes;
}

class StageRun {
 public:
  StageRun(const OpenModel& opened, const Stage& stage, const Workload& workload, bool quiet)
      : opened_(opened),
        stage_(stage),
        work_(workload),
        has_cache_(find_engine(stage.engine).has_cache),
        weight_bytes_(weight_bytes(stage, opened)),
        engine_(find_engine(stage.engine)
                    .make(opened, {.compute = stage.compute, .progress = progress_bar("weights", quiet)})),
        steps_([this](Index length) { return has_cache_ ? bytes_at(length) : flops_at(length); }) {}

  void measure(const MachineProbe& machine, const Progress& progress, StageResult& result);
  void count_work(StageResult& result) const;
  void reach(StageResult& result);

 private:
  const ModelConfig& config() const { return opened_.config; }
  // Of one step of all rows that have that many tokens.
  double bytes_at(Index length) const {
    return weight_bytes_ + cached_bytes(stage_, config(), work_.batch, length);
  }
  double flops_at(Index length) const {
    const double row =
        has_cache_ ? forward_flops(config(), length, 1, 1) : forward_flops(config(), 0, length, 1);
    return static_cast<double>(work_.batch) * row;
  }
  double prefill_seconds(Index tokens) const;  // estimated
  void measure_step_at(Index length);
  Reach reach_one(Index tokens);

  const OpenModel& opened_;
  const Stage& stage_;
  const Workload& work_;
  bool has_cache_;
  double weight_bytes_;
  std::unique_ptr<CausalLM> engine_;
  StepTimes steps_;
  double prefill_s_ = 0;
};

// A look at the memory's bandwidth drives a small model out of the processor's caches.
void warm_up(BenchRows& rows) {
  rows.begin();
  rows.prefill();
  rows.step();
}

void StageRun::measure(const MachineProbe& machine, const Progress& progress, StageResult& result) {
  BenchRows rows(*engine_, stage_, work_);
  Samples prefills, steps;
  const auto B = static_cast<double>(work_.batch), N = static_cast<double>(work_.new_tokens);
  const auto decode = [&](Index count) {
    double seconds = 0;
    for (Index i = 0; i < count; ++i) seconds += rows.step();
    return seconds;
  };
  rows.begin();
  result.first_prefill_s = rows.prefill();
  result.first_step_s = rows.step();
  decode(work_.new_tokens - 1);
  result.tokens = rows.written();

  const Stopwatch watch;
  while (prefills.count() < kLeastRuns || (watch.seconds() < work_.seconds && prefills.count() < kMostRuns)) {
    if (prefills.count() < kLooks) {
      machine.look(result.machine);
      if (result.first_step_s < kSmallStepSeconds) warm_up(rows);
    }
    rows.begin();
    prefills.add(rows.prefill());
    steps.add(decode(work_.new_tokens) / N);
    result.prefill_tokens_per_s.add(B * static_cast<double>(work_.prompt_tokens) / prefills.last());
    result.decode_tokens_per_s.add(B / steps.last());
    const double by_time = work_.seconds > 0 ? watch.seconds() / work_.seconds : 1;
    const double by_count = static_cast<double>(prefills.count()) / static_cast<double>(kLeastRuns);
    if (progress) progress(static_cast<Index>(99 * std::min({1.0, by_time, by_count})), 100);
  }
  while (result.machine.flops_per_s.count() < kLooks) machine.look(result.machine);
  result.prefill_s = prefill_s_ = prefills.median();
  result.step_s = steps.median();
  steps_.add(work_.tokens() - work_.new_tokens / 2, result.step_s);
}

void StageRun::count_work(StageResult& result) const {
  const Index before = work_.depth, P = work_.prompt_tokens, N = work_.new_tokens;
  const auto B = static_cast<double>(work_.batch);
  result.prefill_flops = forward_flops(config(), before, P, 1) / static_cast<double>(P);
  for (Index i = 0; i < N; ++i) result.decode_flops += flops_at(before + P + i) / B / static_cast<double>(N);
  result.decode_bytes = bytes_at(before + P + N / 2) / B;
}

double StageRun::prefill_seconds(Index tokens) const {
  const double known = forward_flops(config(), work_.depth, work_.prompt_tokens, 1);
  return prefill_s_ * forward_flops(config(), 0, tokens, 1) / known;
}

// A few steps after so many tokens, which are read at once.
void StageRun::measure_step_at(Index length) {
  Workload there = work_;
  if (has_cache_) {
    there.depth = length - 4;
    there.prompt_tokens = 1;
    there.new_tokens = 3;
  } else {
    there.prompt_tokens = length;
  }
  BenchRows rows(*engine_, stage_, there);
  rows.begin();
  Samples seconds;
  seconds.add(rows.prefill());
  if (has_cache_)
    for (Index i = 0; i < there.new_tokens; ++i) seconds.add(rows.step());
  steps_.add(length, seconds.median());
}

Reach StageRun::reach_one(Index tokens) {
  const Index start = work_.depth + work_.prompt_tokens;
  const auto estimate = [&] { return prefill_s_ + steps_.sum(start + (has_cache_ ? 0 : 1), tokens - 1); };
  const double fill = work_.depth > 0 ? prefill_seconds(work_.depth) : 0;
  if (fill + estimate() <= work_.seconds) {
    Workload longer = work_;
    longer.new_tokens = tokens - 1;  // the prompt gives the first one
    BenchRows rows(*engine_, stage_, longer);
    rows.begin();
    double seconds = rows.prefill();
    Samples last;
    for (Index i = 0; i < longer.new_tokens; ++i) {
      const double step = rows.step();
      seconds += step;
      if (i >= longer.new_tokens - 8) last.add(step);
    }
    steps_.add(start + tokens, last.median());
    return {.tokens = tokens, .seconds = seconds, .measured = true};
  }
  const double there = has_cache_ ? prefill_seconds(start + tokens) : steps_.at(start + tokens);
  if (there <= work_.seconds) measure_step_at(start + tokens);
  return {.tokens = tokens, .seconds = estimate(), .measured = false};
}

void StageRun::reach(StageResult& result) {
  for (const Index tokens : kReach)
    if (work_.depth + work_.prompt_tokens + tokens <= config().max_position_embeddings)
      result.reach.push_back(reach_one(tokens));
}

}  // namespace

void check_workload(const ModelConfig& config, const Stage& stage, const Workload& workload) {
  if (workload.depth > 0 && !find_engine(stage.engine).has_cache)
    fail(ErrorCode::kUnsupported, {.where = "--depth",
                                   .what = "engine " + stage.engine + " has no cache to be filled before",
                                   .remedy = "take a longer prompt (--prompt-tokens), or another engine"});
  if (workload.tokens() <= config.max_position_embeddings) return;
  fail(ErrorCode::kRange,
       {.where = "--depth, --prompt-tokens and --new-tokens",
        .what = "together",
        .got = std::to_string(workload.tokens()) + " tokens",
        .expected = fmt::format("at most {} (max_position_embeddings)", config.max_position_embeddings),
        .remedy = "take fewer"});
}

StageResult run_stage(const std::string& model_name, const ModelFacts& model, const Stage& stage,
                      const Workload& workload, const MachineProbe& machine, bool quiet,
                      const Progress& progress) {
  check_workload(model.config, stage, workload);
  const Index before = restart_peak_memory();
  const Stopwatch watch;
  OpenModel opened = open_weights(model_name, stage.dtype, quiet);
  if (stage.cache.sliding_window) set_sliding_window(opened.config, *stage.cache.sliding_window);
  StageRun run(opened, stage, workload, quiet);

  StageResult result;
  result.load_s = watch.seconds();
  result.stage = stage;
  result.name = stage_name(stage, model);
  result.weights = weights_name(stage, model);
  run.measure(machine, progress, result);
  result.memory_bytes = std::max<Index>(0, peak_resident_bytes() - before);
  run.count_work(result);
  run.reach(result);
  if (progress) progress(100, 100);
  return result;
}

}  // namespace llm
