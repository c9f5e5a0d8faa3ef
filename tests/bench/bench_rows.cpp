#include "tests/bench/bench_rows.h"

#include <algorithm>

#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/07_sampling/engines.h"
#include "common/base/error.h"
#include "common/base/rng.h"
#include "common/base/timing.h"

namespace llm {
namespace {

constexpr Index kFillChunk = 512;

std::vector<Token> random_ids(Index row, Index count, Index vocab_size) {
  std::vector<Token> ids;
  for (Index i = 0; i < count; ++i) {
    const RngKey key = {.sequence = static_cast<std::uint32_t>(row), .purpose = RngPurpose::kTest};
    const double number = uniform(key, static_cast<std::uint32_t>(i));
    ids.push_back(static_cast<Token>(number * static_cast<double>(vocab_size)));
  }
  return ids;
}

using Spans = std::vector<std::span<const Token>>;

// Tokens [first, first + count) of every row.
Spans columns(const std::vector<std::vector<Token>>& rows, Index first, Index count) {
  Spans spans;
  for (const auto& row : rows)
    spans.push_back(std::span(row).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
  return spans;
}

}  // namespace

double cached_bytes(const Stage& stage, const ModelConfig& config, Index rows, Index tokens) {
  if (!find_engine(stage.engine).has_cache) return 0;
  CacheSpec spec = stage.cache;
  spec.max_cache_len = std::max<Index>(1, tokens);
  const Index row = cache_bytes(all_cache_kinds(), config, spec, tokens);
  return static_cast<double>(rows) * static_cast<double>(row);
}

BenchRows::BenchRows(CausalLM& model, const Stage& stage, const Workload& workload)
    : model_(model),
      workload_(workload),
      has_cache_(find_engine(stage.engine).has_cache),
      spec_(stage.cache) {
  spec_.num_rows = workload.batch;
  spec_.max_cache_len = workload.tokens();
  for (Index row = 0; row < workload.batch; ++row)
    prompts_.push_back(random_ids(row, workload.depth + workload.prompt_tokens, model.config().vocab_size));
}

std::unique_ptr<Cache> BenchRows::filled_cache() {
  auto cache = model_.make_cache(spec_);
  if (workload_.depth > 0) llm::prefill(model_, *cache, columns(prompts_, 0, workload_.depth), kFillChunk);
  return cache;
}

// A ring, for one, cannot go back far.
bool BenchRows::crop_to_depth() {
  try {
    for (Index row = 0; row < workload_.batch; ++row) cache_->crop(row, workload_.depth);
  } catch (const Error&) {
    return false;
  }
  return true;
}

void BenchRows::begin() {
  rows_ = prompts_;
  written_.clear();
  if (!has_cache_) return;
  if (cache_ != nullptr && workload_.depth > 0 && crop_to_depth()) return;
  cache_ = nullptr;  // before the next one is made
  cache_ = filled_cache();
}

double BenchRows::prefill() {
  const Stopwatch watch;
  if (has_cache_) {
    next_ = llm::prefill(model_, *cache_, columns(rows_, workload_.depth, workload_.prompt_tokens)).argmax();
  } else {
    next_ = model_.forward(FullBatch(rows_).batch(), nullptr, {.logits_to_keep = 1}).argmax();
  }
  const double seconds = watch.seconds();
  written_.push_back(next_.front());
  return seconds;
}

double BenchRows::step() {
  const Stopwatch watch;
  if (has_cache_) {
    Spans tokens;
    for (const Token& token : next_) tokens.emplace_back(&token, 1);
    const NewTokens batch(tokens, *cache_);
    next_ = model_.forward(batch.batch(), cache_.get(), {.logits_to_keep = 1}).argmax();
  } else {
    for (std::size_t row = 0; row < rows_.size(); ++row) rows_[row].push_back(next_[row]);
    next_ = model_.forward(FullBatch(rows_).batch(), nullptr, {.logits_to_keep = 1}).argmax();
  }
  const double seconds = watch.seconds();
  written_.push_back(next_.front());
  return seconds;
}

}  // namespace llm
