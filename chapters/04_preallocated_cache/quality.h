// What a cache that rounds its numbers does to a model's answers.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/seams/causal_lm.h"

namespace llm {

// The same text, read without a cache and, token by token, with one.
struct ScoreComparison {
  Index tokens = 0;          // whose scores were compared
  Index same_best = 0;       // of them, those with the same best next token
  double largest_error = 0;  // of a score, as a share of the largest; NaN if a score is
};

// exact reads without the cache, model (the same one, or another engine) with it, which is empty, of one row.
// ids: the text; the scores from its token `first` on are compared.
ScoreComparison compare_scores(CausalLM& exact, CausalLM& model, Cache& past_key_values,
                               std::span<const Token> ids, Index first);
inline ScoreComparison compare_scores(CausalLM& model, Cache& past_key_values, std::span<const Token> ids,
                                      Index first) {
  return compare_scores(model, model, past_key_values, ids, first);
}

// How well a model foretells a text: exp(- mean of log p(token | those before)), the lower the better; V if
// it knew nothing. The first token is given.
struct Perplexity {
  double value = 0;
  Index tokens = 0;  // foretold
  double seconds = 0;
};

// ids: two tokens or more, read in pieces of `chunk`; past_key_values: empty, one row.
// Errors: kRange for a shorter text.
Perplexity perplexity(CausalLM& model, Cache& past_key_values, std::span<const Token> ids, Index chunk);

// Perplexity and memory of one cache.
struct QualityRow {
  CacheSpec spec;
  Perplexity perplexity;
  Index memory_bytes = 0;
};

// The same text through each of the caches, all of them allocated for just its length. Those that compute the
// same as another one (dynamic, offloaded) are left out. options: group_size and residual_length, if given.
std::vector<QualityRow> measure_quality(CausalLM& model, std::span<const Token> ids,
                                        std::span<const CacheSpec> caches, const CacheSpec& options);

}  // namespace llm
