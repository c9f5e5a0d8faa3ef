// How much memory a cache needs, and how long a text a given memory holds: by the formulas that the layers
// allocate by.
#pragma once

#include <string>
#include <vector>

#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "common/cli/report.h"

namespace llm {

// Bytes in main memory of one row of `tokens` tokens, where it is known beforehand that there will be as many
// (max_cache_len). Offloaded: of the two layers that are resident at the same time.
Index memory_needed(const ModelConfig& config, CacheSpec spec, Index tokens);

// The longest text whose cache takes at most budget_bytes: no token more fits. 0 if not even one does;
// kUnlimitedTokens if the memory does not grow with the text (every layer is a ring).
inline constexpr Index kUnlimitedTokens = Index{1} << 31;
Index longest_text(const ModelConfig& config, const CacheSpec& spec, Index budget_bytes);

// The memory that this program may use: the machine's, or less where a container says so.
Index machine_memory_bytes();

// The kinds that tables compare: float32 and bfloat16, quantized, offloaded; a ring where the model has a
// window.
std::vector<CacheSpec> compared_caches(const ModelConfig& config);

// A model of which tables need no more than the shape of its cache.
struct CachedShape {
  std::string name;
  ModelConfig config;
};
// Qwen3-0.6B, Qwen2.5-7B, and 70 billion parameters with 8 key/value heads and with 64 (no groups).
std::vector<CachedShape> well_known_shapes();

// Kinds by lengths; the last column: the longest text in budget_bytes.
Table memory_table(const ModelConfig& config, std::span<const Index> lengths, Index budget_bytes);

}  // namespace llm
