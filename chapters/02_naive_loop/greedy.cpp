#include "chapters/02_naive_loop/greedy.h"

#include <algorithm>

#include "chapters/02_naive_loop/full_batch.h"
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
  // --8<-- [start:ex02-8]
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
  // --8<-- [end:ex02-8]
  result.total_s = clock.seconds();
  return result;
}

}  // namespace llm
