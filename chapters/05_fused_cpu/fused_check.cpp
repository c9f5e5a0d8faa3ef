#include "chapters/05_fused_cpu/fused_check.h"

namespace llm {

RoundingCheck check_rounding(CausalLM& exact, CausalLM& model, Cache& past_key_values,
                             std::span<const Token> ids, Index prompt_tokens) {
  constexpr Index kChunk = 128;
  RoundingCheck check;
  past_key_values.reset();
  check.scores = compare_scores(exact, model, past_key_values, ids, prompt_tokens - 1);
  if (ids.size() < 2) return check;
  past_key_values.reset();
  check.perplexity = perplexity(model, past_key_values, ids, kChunk).value;
  const auto cache = exact.make_cache({});
  check.exact_perplexity = perplexity(exact, *cache, ids, kChunk).value;
  return check;
}

}  // namespace llm
