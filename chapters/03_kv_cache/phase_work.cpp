#include "chapters/03_kv_cache/phase_work.h"

#include "chapters/02_naive_loop/flops.h"
#include "common/base/checked.h"

namespace llm {
namespace {

// Adds a pass over positions [first, first + count) with scores for `kept` of them.
void add_pass(const ModelConfig& config, Index first, Index count, Index kept, PhaseWork& work) {
  work.positions += count;
  work.linear +=
      static_cast<double>(count * config.num_hidden_layers) * static_cast<double>(linear_flops(config));
  work.attention += attention_pass_flops(config, first, count);
  work.head += static_cast<double>(kept) * static_cast<double>(head_flops(config));
}

}  // namespace

// --8<-- [start:phases]
GenerationWork naive_phases(const ModelConfig& config, Index prompt_tokens, Index new_tokens) {
  GenerationWork work;
  for (Index i = 0; i < new_tokens; ++i)
    add_pass(config, 0, prompt_tokens + i, 1, i == 0 ? work.prefill : work.decode);
  return work;
}

GenerationWork cached_phases(const ModelConfig& config, Index reused_tokens, Index prompt_tokens,
                             Index new_tokens, std::optional<Index> prefill_chunk_size) {
  GenerationWork work;
  if (new_tokens < 1) return work;
  const Index count = prompt_tokens - reused_tokens;
  add_pass(config, reused_tokens, count, ceil_div(count, prefill_chunk_size.value_or(count)), work.prefill);
  for (Index i = 1; i < new_tokens; ++i) add_pass(config, prompt_tokens + i - 1, 1, 1, work.decode);
  return work;
}
// --8<-- [end:phases]

}  // namespace llm
