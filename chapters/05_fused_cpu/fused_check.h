// Does the engine compute what chapter 02 computes? The program says so before it says how fast it was.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "chapters/03_kv_cache/token_check.h"
#include "chapters/04_preallocated_cache/quality.h"
#include "common/seams/causal_lm.h"

namespace llm {

// The largest error of a score, as a share of the largest score. Exact engines differ in the order of the
// sums only; where numbers are rounded to 8 bits, theirs is a share of the largest in a group; with 4 bits
// scores may be anywhere, and only what is plainly wrong is called so.
inline constexpr double kExactTolerance = 1e-4, kRoundedTolerance = 0.1, kFourBitTolerance = 1;

// Where numbers are rounded, tokens may differ. How far off are the scores, and does it matter?
struct RoundingCheck {
  ScoreComparison scores;
  double tolerance = kRoundedTolerance;
  double perplexity = 0;        // of prompt and new tokens
  double exact_perplexity = 0;  // chapter 02's
  // Relative to chapter 02's: 0.01 is one per cent worse.
  double perplexity_change() const { return perplexity / exact_perplexity - 1; }
  bool passed() const { return scores.largest_error <= tolerance; }  // not if it is NaN
};

// exact: chapter 02's forward pass, on the same weights. past_key_values: model's, for one row; it is
// emptied. ids: prompt_tokens tokens and those that followed.
RoundingCheck check_rounding(CausalLM& exact, CausalLM& model, Cache& past_key_values,
                             std::span<const Token> ids, Index prompt_tokens);

}  // namespace llm
