#include "chapters/07_sampling/feed.h"

#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/03_kv_cache/new_tokens.h"

namespace llm {

Logits& feed(CausalLM& model, Cache* past_key_values, std::span<const Token> input_ids,
             std::optional<Index> prefill_chunk_size) {
  if (past_key_values == nullptr) {
    const std::vector<Token> everything(input_ids.begin(), input_ids.end());
    return model.forward(FullBatch(everything).batch(), nullptr, {.logits_to_keep = 1});
  }
  const auto seen = static_cast<std::size_t>(past_key_values->get_seq_length(0));
  return prefill(model, *past_key_values, input_ids.subspan(seen), prefill_chunk_size);
}

View<const float, 1> last_scores(Logits& logits, Index row) {
  const View<const float, 3> host = logits.host();
  return host[row][host.shape(1) - 1];
}

}  // namespace llm
