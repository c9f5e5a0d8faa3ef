#include "chapters/03_kv_cache/cached_greedy.h"

#include <algorithm>
#include <numeric>

#include "chapters/03_kv_cache/new_tokens.h"
#include "common/base/checked.h"
#include "common/base/timing.h"

namespace llm {
namespace {

Index count_tokens(std::span<const std::vector<Token>> rows) {
  std::size_t count = 0;
  for (const auto& row : rows) count += row.size();
  return static_cast<Index>(count);
}

// The passes that prefill() does.
Index count_chunks(std::span<const std::vector<Token>> rows, std::optional<Index> chunk) {
  std::size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  return chunk ? ceil_div(static_cast<Index>(longest), *chunk) : 1;
}

}  // namespace

GreedyResult cached_greedy(CausalLM& model, Cache& past_key_values, std::span<const std::vector<Token>> rows,
                           Index max_new_tokens, std::span<const Token> eos_token_id,
                           std::optional<Index> prefill_chunk_size) {
  GreedyResult result;
  result.new_tokens.resize(rows.size());
  result.finish_reason.assign(rows.size(), FinishReason::kLength);
  if (rows.empty() || max_new_tokens <= 0) return result;
  std::vector<Index> open(rows.size());  // the rows that go on
  std::iota(open.begin(), open.end(), Index{0});

  const Stopwatch clock;
  const std::vector<std::span<const Token>> prompts(rows.begin(), rows.end());
  Logits* logits = &prefill(model, past_key_values, prompts, prefill_chunk_size);
  std::vector<Token> next = logits->argmax();  // of each open row
  result.prefill_s = clock.seconds();
  result.forwards = count_chunks(rows, prefill_chunk_size);
  result.positions = count_tokens(rows);

  // --8<-- [start:ex03-8]
  for (Index step = 1;; ++step) {
    std::vector<Index> still_open;
    std::vector<std::span<const Token>> feed;  // one token a row
    for (std::size_t i = 0; i < open.size(); ++i) {
      const auto row = static_cast<std::size_t>(open[i]);
      result.new_tokens[row].push_back(next[i]);
      if (std::ranges::count(eos_token_id, next[i])) {
        result.finish_reason[row] = FinishReason::kEos;
      } else {
        still_open.push_back(open[i]);
        feed.emplace_back(&next[i], 1);
      }
    }
    open = std::move(still_open);
    if (open.empty() || step == max_new_tokens) break;
    const NewTokens batch(feed, past_key_values, open);
    next = model.forward(batch.batch(), &past_key_values, {.logits_to_keep = 1}).argmax();
    ++result.forwards;
    result.positions += static_cast<Index>(open.size());
  }
  // --8<-- [end:ex03-8]
  result.total_s = clock.seconds();
  return result;
}

}  // namespace llm
