// The batch of a loop with a cache: only the tokens that the cache does not hold yet.
#pragma once

#include <span>
#include <vector>

#include "common/seams/causal_lm.h"
#include "common/tensor/tensor.h"

namespace llm {

// Owns what a Batch looks at. Rows may differ in length, none may be empty: shorter ones are padded on the
// left.
class NewTokens {
 public:
  // tokens: of each row. Their positions follow what the cache holds of the row, so this must be made before
  // the step: afterwards the cache is longer, and every position would be one too many.
  // cache_rows: each row's row in the cache; empty: 0, 1, ... Errors: kRange for one that is not there.
  NewTokens(std::span<const std::span<const Token>> tokens, const Cache& past_key_values,
            std::vector<Index> cache_rows = {});
  // One row, the cache's first.
  NewTokens(std::span<const Token> tokens, const Cache& past_key_values)
      : NewTokens({&tokens, 1}, past_key_values) {}

  Batch batch() const;

 private:
  Tensor<Token, 2> input_ids_;              // [B, T]
  Tensor<Index, 2> position_ids_;           // [B, T]
  Tensor<std::uint8_t, 2> attention_mask_;  // [B, T]
  std::vector<Index> cache_rows_;           // [B]
};

// The first phase of a generation: many tokens in one pass, or in pieces of prefill_chunk_size, which need
// less memory for the same scores. Returns the scores of each row's last token, [B, 1, V].
// prompts: the tokens of each row that are not in the cache yet, none empty. A piece is so many columns of
// the batch with its padding on the left, as in transformers, so that all rows end together.
// Errors: kRange for a size below 1; those of the forward pass.
Logits& prefill(CausalLM& model, Cache& past_key_values, std::span<const std::span<const Token>> prompts,
                std::optional<Index> prefill_chunk_size = {});
Logits& prefill(CausalLM& model, Cache& past_key_values, std::span<const Token> prompt,
                std::optional<Index> prefill_chunk_size = {});

}  // namespace llm
