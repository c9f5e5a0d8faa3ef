#include "chapters/07_sampling/sampled_rows.h"

#include <algorithm>
#include <numeric>

#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/03_kv_cache/new_tokens.h"
#include "chapters/07_sampling/feed.h"
#include "common/base/timing.h"

namespace llm {
namespace {

// The rows of a generation and what they have been fed.
class Rows {
 public:
  Rows(CausalLM& model, Cache* past, std::span<const std::vector<Token>> rows, std::optional<Index> chunk)
      : model_(model), past_(past), texts_(rows.begin(), rows.end()), chunk_(chunk) {
    fed_.resize(rows.size());
  }

  std::vector<Token>& text(Index row) { return texts_[static_cast<std::size_t>(row)]; }

  // The scores of the open rows, [open, 1, V], from the tokens that the engine has not seen yet.
  Logits& scores(const std::vector<Index>& open, GreedyResult& result) {
    ++result.forwards;
    std::vector<std::span<const Token>> feed;
    for (const Index row : open) {
      std::size_t& fed = fed_[static_cast<std::size_t>(row)];
      feed.push_back(std::span<const Token>(text(row)).subspan(past_ == nullptr ? 0 : fed));
      fed = text(row).size();
      result.positions += static_cast<Index>(feed.back().size());
    }
    if (past_ != nullptr && result.forwards == 1) return prefill(model_, *past_, feed, chunk_);
    if (past_ != nullptr)
      return model_.forward(NewTokens(feed, *past_, open).batch(), past_, {.logits_to_keep = 1});
    std::vector<std::vector<Token>> everything;
    for (const Index row : open) everything.push_back(text(row));
    return model_.forward(FullBatch(everything).batch(), nullptr, {.logits_to_keep = 1});
  }

 private:
  CausalLM& model_;
  Cache* past_;
  std::vector<std::vector<Token>> texts_;
  std::optional<Index> chunk_;
  std::vector<std::size_t> fed_;
};

std::vector<Token> next_tokens(Logits& logits, const std::vector<Index>& open,
                               std::span<TokenChooser> choosers, const std::optional<DevicePlan>& plan) {
  std::vector<Token> next;
  if (plan && logits.has_sample()) {
    std::vector<double> uniforms;
    for (const Index row : open) {
      const TokenChooser& chooser = choosers[static_cast<std::size_t>(row)];
      uniforms.push_back(sampling_uniform(chooser.rule(), chooser.position()));
    }
    next = logits.sample(plan->temperature, plan->top_k, plan->top_p, uniforms);
    for (std::size_t i = 0; i < open.size(); ++i) choosers[static_cast<std::size_t>(open[i])].append(next[i]);
    return next;
  }
  for (std::size_t i = 0; i < open.size(); ++i)
    choosers[static_cast<std::size_t>(open[i])].take(last_scores(logits, static_cast<Index>(i)));
  for (const Index row : open) next.push_back(choosers[static_cast<std::size_t>(row)].choose_next());
  return next;
}

}  // namespace

GreedyResult sampled_rows(CausalLM& model, Cache* past_key_values, std::span<const std::vector<Token>> rows,
                          std::span<TokenChooser> choosers, Index max_new_tokens,
                          std::span<const Token> eos_token_id, std::optional<Index> prefill_chunk_size,
                          const std::optional<DevicePlan>& plan) {
  GreedyResult result;
  result.new_tokens.resize(rows.size());
  result.finish_reason.assign(rows.size(), FinishReason::kLength);
  std::vector<Index> open(rows.size());  // the rows that go on
  std::iota(open.begin(), open.end(), Index{0});
  Rows texts(model, past_key_values, rows, prefill_chunk_size);

  const Stopwatch clock;
  for (Index step = 0; step < max_new_tokens && !open.empty(); ++step) {
    const std::vector<Token> next = next_tokens(texts.scores(open, result), open, choosers, plan);
    if (step == 0) result.prefill_s = clock.seconds();
    std::vector<Index> still_open;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const auto row = static_cast<std::size_t>(open[i]);
      result.new_tokens[row].push_back(next[i]);
      texts.text(open[i]).push_back(next[i]);
      if (std::ranges::count(eos_token_id, next[i]))
        result.finish_reason[row] = FinishReason::kEos;
      else
        still_open.push_back(open[i]);
    }
    open = std::move(still_open);
  }
  result.total_s = clock.seconds();
  return result;
}

std::optional<DevicePlan> device_plan(const GenerationConfig& config, const LogitsProcessorList& processors) {
  constexpr std::string_view kOnDevice[] = {"temperature", "top_k", "top_p"};
  if (!config.do_sample) return {};
  for (const auto& processor : processors.processors())
    if (std::ranges::count(kOnDevice, processor->name()) == 0) return {};
  return DevicePlan{.temperature = static_cast<float>(config.temperature),
                    .top_k = config.top_k,
                    .top_p = static_cast<float>(config.top_p)};
}

}  // namespace llm
