// Are the tokens those of an earlier stage? A program answers that before it says how fast it was.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/seams/causal_lm.h"

namespace llm {

// How many tokens to compare: the first `tokens`, or as many as fit into `seconds`, at least one.
struct CheckLimit {
  std::optional<Index> tokens = {};
  double seconds = 10;
};

// The value of --check: a number, "all", or "" for as many as take 10 s. Errors: kUsage.
CheckLimit parse_check_limit(const std::string& text);

struct TokenCheck {
  Index equal = 0;                      // tokens that were compared and are the same
  Index total = 0;                      // tokens that there are
  std::optional<Index> too_close = {};  // the step where the comparison ended: the two best scores are so
                                        // close that rounding decides
  std::optional<Index> different = {};  // the step at which a token was wrong, with both
  Token expected = 0, got = 0;
  std::vector<double> seconds = {};  // that the earlier stage took for each token

  double tolerance = 0;

  bool passed() const { return !different; }
  // "64/64"; "12/12, of 64 new ones"; "23/24: token 24 is 5, expected 7". Steps count from 1 here.
  std::string text() const;
};

// The largest difference between the two best scores, relative to the best, at which they count as equal:
// 1e-4 where nothing is rounded, more where cached keys and values are. cache_dtype: f32, bf16 or f16.
double tie_tolerance(std::string_view cache_dtype);

// Generates again without any cache, feeding everything each time, and compares. The model is chapter 02's
// forward pass, or one that computes the same. prompt: not empty.
TokenCheck check_tokens(CausalLM& model, std::vector<Token> prompt, std::span<const Token> new_tokens,
                        const CheckLimit& limit, double tolerance);

}  // namespace llm
