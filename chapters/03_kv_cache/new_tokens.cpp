#include "chapters/03_kv_cache/new_tokens.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <string>

#include "common/base/error.h"

namespace llm {

NewTokens::NewTokens(std::span<const std::span<const Token>> tokens, const Cache& past_key_values,
                     std::vector<Index> cache_rows)
    : cache_rows_(std::move(cache_rows)) {
  const auto B = static_cast<Index>(tokens.size());
  if (cache_rows_.empty()) {
    cache_rows_.resize(tokens.size());
    std::iota(cache_rows_.begin(), cache_rows_.end(), Index{0});
  }
  assert(cache_rows_.size() == tokens.size());
  std::size_t T = 0;
  for (const auto& row : tokens) T = std::max(T, row.size());
  input_ids_ = Tensor<Token, 2>({B, static_cast<Index>(T)}, 0);
  position_ids_ = Tensor<Index, 2>({B, static_cast<Index>(T)}, 0);
  attention_mask_ = Tensor<std::uint8_t, 2>({B, static_cast<Index>(T)}, 0);
  for (std::size_t b = 0; b < tokens.size(); ++b) {
    const auto row = static_cast<Index>(b);
    const auto padding = static_cast<Index>(T - tokens[b].size());
    // --8<-- [start:ex03-4]
    const Index past_seen_tokens = past_key_values.get_seq_length(cache_rows_[b]);
    for (std::size_t i = 0; i < tokens[b].size(); ++i) {
      const Index t = padding + static_cast<Index>(i);
      input_ids_(row, t) = tokens[b][i];
      position_ids_(row, t) = past_seen_tokens + static_cast<Index>(i);
      attention_mask_(row, t) = 1;
    }
    // --8<-- [end:ex03-4]
  }
}

Batch NewTokens::batch() const {
  return {.input_ids = input_ids_.view(),
          .inputs_embeds = {},
          .position_ids = position_ids_.view(),
          .attention_mask = attention_mask_.view(),
          .rows = cache_rows_};
}

Logits& prefill(CausalLM& model, Cache& past_key_values, std::span<const std::span<const Token>> prompts,
                std::optional<Index> prefill_chunk_size) {
  if (prefill_chunk_size && *prefill_chunk_size < 1)
    fail(ErrorCode::kRange, {.where = "prefill_chunk_size",
                             .what = "got",
                             .got = std::to_string(*prefill_chunk_size),
                             .expected = "at least 1"});
  std::size_t columns = 0;
  for (const auto& prompt : prompts) columns = std::max(columns, prompt.size());
  const auto chunk = static_cast<std::size_t>(prefill_chunk_size.value_or(static_cast<Index>(columns)));
  // --8<-- [start:ex03-7]
  for (std::size_t begin = 0;; begin += chunk) {
    const std::size_t end = std::min(begin + chunk, columns);
    std::vector<std::span<const Token>> pieces;
    std::vector<Index> cache_rows;  // rows whose padding reaches further than this piece wait
    for (std::size_t b = 0; b < prompts.size(); ++b) {
      const std::size_t padding = columns - prompts[b].size();
      if (end <= padding) continue;
      const std::size_t first = std::max(begin, padding) - padding;
      pieces.push_back(prompts[b].subspan(first, end - padding - first));
      cache_rows.push_back(static_cast<Index>(b));
    }
    const NewTokens batch(pieces, past_key_values, cache_rows);
    Logits& logits = model.forward(batch.batch(), &past_key_values, {.logits_to_keep = 1});
    if (end == columns) return logits;
  }
  // --8<-- [end:ex03-7]
}

Logits& prefill(CausalLM& model, Cache& past_key_values, std::span<const Token> prompt,
                std::optional<Index> prefill_chunk_size) {
  return prefill(model, past_key_values, {&prompt, 1}, prefill_chunk_size);
}

}  // namespace llm
