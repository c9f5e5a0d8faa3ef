#include "chapters/02_naive_loop/greedy.h"

#include <algorithm>

#include "chapters/02_naive_loop/full_batch.h"
#include "common/base/error.h"
#include "common/base/timing.h"

namespace llm {

GreedyResult greedy(CausalLM& model, std::vector<std::vector<Token>> rows, Index max_new_tokens,
                    std::span<const Token> eos_token_id) {
  GreedyResult result;
  result.new_tokens.resize(rows.size());
  result.finish_reason.assign(rows.size(), FinishReason::kLength);
  std::vector<std::size_t> open(rows.size());  // the rows that go on, by their number
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;

  const Stopwatch clock;
  for (Index step = 0; step < max_new_tokens && !open.empty(); ++step) {
    const std::vector<Token> next =
        model.forward(FullBatch(rows).batch(), nullptr, {.logits_to_keep = 1}).argmax();
    ++result.forwards;
    if (step == 0) result.prefill_s = clock.seconds();
    std::vector<std::vector<Token>> remaining;
    std::vector<std::size_t> still_open;
    for (std::size_t b = 0; b < rows.size(); ++b) {
      result.positions += static_cast<Index>(rows[b].size());
      result.new_tokens[open[b]].push_back(next[b]);
      rows[b].push_back(next[b]);
      if (std::ranges::count(eos_token_id, next[b])) {
        result.finish_reason[open[b]] = FinishReason::kEos;
      } else {
        remaining.push_back(std::move(rows[b]));
        still_open.push_back(open[b]);
      }
    }
    rows = std::move(remaining);
    open = std::move(still_open);
  }
  result.total_s = clock.seconds();
  return result;
}

Index new_tokens_limit(const ModelConfig& model, const GenerationConfig& config, Index padded_tokens,
                       Index longest) {
  // The last token is never fed, so that it needs no position.
  const Index room = model.max_position_embeddings - longest + 1;
  if (room < 1)
    fail(ErrorCode::kRange, {.where = "prompt",
                             .what = "is too long:",
                             .got = std::to_string(longest) + " tokens",
                             .expected = "at most " + std::to_string(model.max_position_embeddings) +
                                         " (max_position_embeddings)",
                             .remedy = "shorten it"});
  return std::min(room, max_total_tokens(config, padded_tokens) - padded_tokens);
}

std::vector<std::vector<Token>> to_sequences(std::span<const std::vector<Token>> prompts,
                                             const GreedyResult& result, const GenerationConfig& config) {
  std::size_t longest = 0;
  for (const auto& tokens : result.new_tokens) longest = std::max(longest, tokens.size());
  const Token pad = config.pad_token_id.value_or(config.eos_token_id.empty() ? 0 : config.eos_token_id[0]);
  std::vector<std::vector<Token>> sequences;
  for (std::size_t b = 0; b < prompts.size(); ++b) {
    std::vector<Token>& row = sequences.emplace_back(prompts[b]);
    row.insert(row.end(), result.new_tokens[b].begin(), result.new_tokens[b].end());
    row.resize(prompts[b].size() + longest, pad);
  }
  return sequences;
}

}  // namespace llm
