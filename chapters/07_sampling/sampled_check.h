// Are the drawn tokens those that the naive engine draws by the same uniform numbers?
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chapters/03_kv_cache/token_check.h"
#include "chapters/07_sampling/token_chooser.h"
#include "common/seams/causal_lm.h"

namespace llm {

// Generates again without any cache and compares. Rounding may move a boundary between two tokens by a
// little; where the uniform number is within 1e-4 of one, or for a greedy rule the two scores are, the
// comparison ends (too_close). naive: the naive engine, or one that computes the same. prompt: without
// padding.
TokenCheck check_sampled(CausalLM& naive, std::span<const Token> prompt, std::span<const Token> new_tokens,
                         const ChoiceRule& rule, const CheckLimit& limit);

// "64/64"; "23/64, where the number drawn in step 24 is within 0.0001 of the boundary between two tokens";
// "23/64; in step 24 token 5, expected 7".
std::string sampled_check_text(const TokenCheck& check);

}  // namespace llm
