#include "chapters/05_fused_cpu/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chapters/02_naive_loop/flops.h"
#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/05_fused_cpu/convert_weights.h"
#include "chapters/05_fused_cpu/fused_model.h"
#include "chapters/05_fused_cpu/ladder_steps.h"
#include "chapters/05_fused_cpu/step_work.h"
#include "common/base/error.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/base/timing.h"
#include "common/cli/progress.h"

namespace llm {
namespace {

// How many positions of the prompt, and how many new ones, are compared.
constexpr Index kPromptPositions = 32, kNewPositions = 8;

std::vector<Token> random_ids(Index count, Index vocab_size, std::uint64_t seed) {
  std::vector<Token> ids;
  const RngKey key = {.seed = seed, .purpose = RngPurpose::kTest};
  for (Index i = 0; i < count; ++i)
    ids.push_back(
        static_cast<Token>(uniform(key, static_cast<std::uint32_t>(i)) * static_cast<double>(vocab_size)));
  return ids;
}

// Restores the number of threads.
class OneThread {
 public:
  OneThread() { set_num_threads(1); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
  ~OneThread() { set_num_threads(before_); }

 private:
  int before_ = num_threads();
};

// The rows of one set of weights.
class LadderRun {
 public:
  LadderRun(const OpenModel& opened, const MachineProbe& probe, bool quiet, Ladder& ladder)
      : opened_(opened),
        config_(opened.config),
        probe_(probe),
        quiet_(quiet),
        ladder_(ladder),
        work_(ladder.work),
        ids_(random_ids(work_.tokens(), config_.vocab_size, work_.seed)) {}

  // Chapter 02's scores; with_rows: steps 1 and 2 too.
  void baseline(bool with_rows);
  void fused(const LadderStep& step, const std::string& name, Compute compute = Compute::kExact,
             const CacheSpec& spec = {});

 private:
  Index kept() const { return std::min(kPromptPositions, work_.prompt_tokens); }
  Index new_positions() const { return std::min(kNewPositions, work_.new_tokens); }
  std::span<const Token> ids(Index first, Index count) const {
    return std::span(ids_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
  void find_expected(CausalLM& model);
  double largest_error(CausalLM& model, Cache& past);
  void add_error(View<const float, 2> scores, Index first, double& error) const;
  void row(CausalLM& model, CacheSpec spec, LadderRow row, Index weight_bytes);
  void time(CausalLM& model, Cache& past, LadderRow& row);

  const OpenModel& opened_;
  const ModelConfig& config_;
  const MachineProbe& probe_;
  bool quiet_;
  Ladder& ladder_;
  const LadderWork& work_;
  std::vector<Token> ids_;     // what the cache holds before, the prompt, and what follows
  Tensor<float, 2> expected_;  // [kept() + new_positions(), V]
  double largest_ = 0;         // of them
};

void LadderRun::find_expected(CausalLM& model) {
  const Index K = kept() + new_positions();
  const auto all = ids(0, work_.depth + work_.prompt_tokens + new_positions());
  const FullBatch batch(std::vector<Token>(all.begin(), all.end()));
  const View<const float, 3> scores = model.forward(batch.batch(), nullptr, {.logits_to_keep = K}).host();
  expected_ = Tensor<float, 2>({K, config_.vocab_size});
  std::copy_n(scores.data(), scores.size(), expected_.data());
  for (Index i = 0; i < scores.size(); ++i) largest_ = std::max(largest_, std::abs(double{scores.data()[i]}));
}

// scores: of positions `first` and later ones, counted as in expected_.
void LadderRun::add_error(View<const float, 2> scores, Index first, double& error) const {
  const float* expected = expected_[first].begin();
  for (Index i = 0; i < scores.size(); ++i) {
    const double off = std::abs(double{scores.data()[i]} - double{expected[i]}) / largest_;
    error = std::isnan(off) ? off : std::max(error, off);  // max keeps a NaN on its left
  }
}

double LadderRun::largest_error(CausalLM& model, Cache& past) {
  double error = 0;
  const Index P = work_.prompt_tokens;
  const NewTokens prompt(ids(work_.depth, P), past);
  add_error(model.forward(prompt.batch(), &past, {.logits_to_keep = kept()}).host()[0], 0, error);
  for (Index i = 0; i < new_positions(); ++i) {
    const NewTokens step(ids(work_.depth + P + i, 1), past);
    add_error(model.forward(step.batch(), &past, {.logits_to_keep = 1}).host()[0], kept() + i, error);
  }
  return error;
}

// --8<-- [start:time]
void LadderRun::time(CausalLM& model, Cache& past, LadderRow& row) {
  const Progress progress = progress_bar(fmt::format("{} {}", row.number, row.name), quiet_, /*bytes=*/false);
  const Index P = work_.prompt_tokens, N = work_.new_tokens;
  for (Index run = 0; run < work_.runs; ++run) {
    past.crop(0, work_.depth);
    Stopwatch watch;
    (void)prefill(model, past, ids(work_.depth, P)).argmax();
    row.prefill_s.add(watch.seconds());
    watch.reset();
    for (Index i = 0; i < N; ++i) {
      const NewTokens step(ids(work_.depth + P + i, 1), past);
      (void)model.forward(step.batch(), &past, {.logits_to_keep = 1}).argmax();
    }
    row.step_s.add(watch.seconds() / static_cast<double>(N));
    if (progress) progress(run + 1, work_.runs);
  }
}
// --8<-- [end:time]

// weight_bytes: of a step.
void LadderRun::row(CausalLM& model, CacheSpec spec, LadderRow row, Index weight_bytes) {
  constexpr Index kFillChunk = 512;
  probe_.look(ladder_.machine);
  spec.max_cache_len = work_.tokens();
  const auto past = model.make_cache(spec);
  if (work_.depth > 0) (void)prefill(model, *past, ids(0, work_.depth), kFillChunk);
  row.error = largest_error(model, *past);
  row.prefill_flops = forward_flops(config_, work_.depth, work_.prompt_tokens, 1);
  const Index length = work_.depth + work_.prompt_tokens + (work_.new_tokens + 1) / 2;
  row.step_bytes = static_cast<double>(weight_bytes + cached_step_bytes(config_, spec, length));
  if (row.passed()) time(model, *past, row);
  ladder_.rows.push_back(std::move(row));
}

void LadderRun::baseline(bool with_rows) {
  Transformer model(config_, opened_.checkpoint, any_cache_engine(progress_bar("float32 copies", quiet_)));
  find_expected(model);
  if (!with_rows) return;
  const Index bytes = float32_step_bytes(config_);
  const auto add = [&](int number, const char* name) {
    row(model, {}, {.number = number, .name = name, .weights = "F32", .tolerance = kExactTolerance}, bytes);
  };
  {
    const OneThread one;
    add(1, "one operator at a time");
  }
  add(2, "the same on all threads");
}

void LadderRun::fused(const LadderStep& step, const std::string& name, Compute compute,
                      const CacheSpec& spec) {
  FusedModel model(
      config_, opened_.checkpoint,
      step.make({.num_threads = num_threads(), .compute = compute, .mapped_weights = work_.mapped_weights}));
  const WeightFormats weights = weight_formats(config_, *opened_.checkpoint, model.operators());
  if (compute == Compute::kFast && weights.rounded_bytes == 0)
    ladder_.notes.push_back(
        fmt::format("Step {}, {}: {} has no fast product for these weights; exact is used.", step.number,
                    weights.names, isa_name(active_isa())));
  const bool rounded = weights.rounded_bytes > 0 || spec.cache != "dynamic";
  row(model, spec,
      {.number = step.number,
       .name = name,
       .weights = weights.names,
       .tolerance = rounded ? kRoundedTolerance : kExactTolerance},
      weights.step_bytes);
}

constexpr int kRoundedStep = 6, kPrefillStep = 7, kInt8CacheStep = 8;

// Steps 3 to 8 on the model's weights.
void run_steps(LadderRun& run) {
  const CacheSpec int8 = {.cache = "int8", .residual_length = 0};
  for (const LadderStep& step : ladder_steps()) {
    const std::string name(step.name);
    if (step.number == kInt8CacheStep) {
      run.fused(step, name, Compute::kExact, int8);
    } else if (step.number == kRoundedStep) {
      run.fused(step, name + ", fast", Compute::kFast);
    } else {
      run.fused(step, name);
      if (step.number == kPrefillStep) run.fused(step, "INT8 cache, unpacked", Compute::kExact, int8);
    }
  }
}

}  // namespace

bool Ladder::passed() const { return std::ranges::all_of(rows, &LadderRow::passed); }

Ladder run_ladder(const OpenModel& opened, const LadderWork& work, bool quiet) {
  const Index longest = opened.config.max_position_embeddings;
  if (work.tokens() > longest)
    fail(ErrorCode::kRange, {.where = "--depth, --prompt-tokens and --new-tokens",
                             .what = "together",
                             .got = std::to_string(work.tokens()) + " tokens",
                             .expected = fmt::format("at most {} (max_position_embeddings)", longest),
                             .remedy = "take fewer"});
  const MachineProbe probe;
  Ladder ladder{.model = opened.name, .work = work, .rows = {}, .notes = {}, .machine = {}};
  {
    LadderRun run(opened, probe, quiet, ladder);
    run.baseline(/*with_rows=*/true);
    run_steps(run);
  }
  const auto rounded = std::ranges::find(ladder_steps(), kRoundedStep, &LadderStep::number);
  for (const DType dtype : {DType::kQ8_0, DType::kQ4_0}) {
    const std::string name(dtype_name(dtype));
    if (std::ranges::count(ladder.rows, name, &LadderRow::weights) > 0) continue;  // step 6 has that row
    OpenModel model = open_model(opened.name, quiet);
    const std::size_t before = model.warnings.size();
    convert_weights(model, name, quiet);
    if (model.warnings.size() > before) ladder.notes.push_back(model.warnings.back());
    LadderRun run(model, probe, quiet, ladder);
    run.baseline(/*with_rows=*/false);
    run.fused(*rounded, name + ", fast", Compute::kFast);
  }
  std::ranges::stable_sort(ladder.rows, {}, &LadderRow::number);
  return ladder;
}

}  // namespace llm
