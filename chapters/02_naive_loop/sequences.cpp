#include "chapters/02_naive_loop/sequences.h"

#include <algorithm>

#include "common/base/error.h"

namespace llm {

Index new_tokens_limit(const ModelConfig& model, const GenerationConfig& config, Index padded_tokens,
                       Index longest) {
  // The last token is never fed, so that it needs no position.
  const Index room = model.max_position_embeddings - longest + 1;
  if (room < 1)
    fail(ErrorCode::kRange, {.where = "prompt",
                             .what = "is too long:",
                             .got = std::to_string(longest) + " tokens",
                             .expected = "at most " + std::to_string(model.max_position_embeddings) +
                                         " (max_position_embeddings)",
                             .remedy = "shorten it"});
  return std::min(room, max_total_tokens(config, padded_tokens) - padded_tokens);
}

std::vector<std::vector<Token>> to_sequences(std::span<const std::vector<Token>> prompts,
                                             const GreedyResult& result, const GenerationConfig& config) {
  std::size_t longest = 0;
  for (const auto& tokens : result.new_tokens) longest = std::max(longest, tokens.size());
  const Token pad = config.pad_token_id.value_or(config.eos_token_id.empty() ? 0 : config.eos_token_id[0]);
  std::vector<std::vector<Token>> sequences;
  for (std::size_t b = 0; b < prompts.size(); ++b) {
    std::vector<Token>& row = sequences.emplace_back(prompts[b]);
    row.insert(row.end(), result.new_tokens[b].begin(), result.new_tokens[b].end());
    row.resize(prompts[b].size() + longest, pad);
  }
  return sequences;
}

}  // namespace llm
