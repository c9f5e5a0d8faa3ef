// The loop of this chapter for many prompts at once: what JSON lines are answered with.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "chapters/02_naive_loop/greedy.h"
#include "chapters/07_sampling/token_chooser.h"
#include "common/config/generation_config.h"
#include "common/seams/causal_lm.h"

namespace llm {

// Appends a token to each row until it has ended by one of eos_token_id or has max_new_tokens. A row that has
// ended leaves the batch. rows: the real tokens of each row, none empty. choosers: one a row, each with the
// same tokens and its padding. past_key_values: null for an engine without a cache, which is fed everything
// again at each step; otherwise an empty cache with a row for each.
// An engine that can draw by itself (Logits::sample) does, where `plan` says that there is nothing else to
// do.
struct DevicePlan {
  float temperature = 1;
  Index top_k = 0;
  float top_p = 1;
};
GreedyResult sampled_rows(CausalLM& model, Cache* past_key_values, std::span<const std::vector<Token>> rows,
                          std::span<TokenChooser> choosers, Index max_new_tokens,
                          std::span<const Token> eos_token_id, std::optional<Index> prefill_chunk_size = {},
                          const std::optional<DevicePlan>& plan = {});

// The plan, if the config wants nothing but temperature, top_k and top_p.
std::optional<DevicePlan> device_plan(const GenerationConfig& config, const LogitsProcessorList& processors);

}  // namespace llm
