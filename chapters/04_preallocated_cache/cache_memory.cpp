#include "chapters/04_preallocated_cache/cache_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace llm {
namespace {

CachedShape shape(const std::string& name, Index layers, Index heads, Index kv_heads, Index head_dim) {
  CachedShape result{.name = name, .config = {}};
  ModelConfig& config = result.config;
  config.num_hidden_layers = layers;
  config.num_attention_heads = heads;
  config.num_key_value_heads = kv_heads;
  config.head_dim = head_dim;
  config.layer_types.assign(static_cast<std::size_t>(layers), LayerType::kFullAttention);
  return result;
}

}  // namespace

Index memory_needed(const ModelConfig& config, CacheSpec spec, Index tokens) {
  spec.max_cache_len = tokens;
  if (!spec.offload) return cache_bytes(all_cache_kinds(), config, spec, tokens);
  const CacheKind& kind = find_cache_kind(all_cache_kinds(), spec.cache);
  std::vector<Index> layers;
  for (Index l = 0; l < config.num_hidden_layers; ++l)
    layers.push_back(kind.layer_bytes(config, spec, l, tokens));
  // --8<-- [start:ex04-7]
  Index most = layers[0];  // of two neighbours; the last layer's next is the first
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) most = std::max(most, layers[l] + layers[l + 1]);
  return layers.size() > 1 ? std::max(most, layers.back() + layers.front()) : most;
  // --8<-- [end:ex04-7]
}

// --8<-- [start:longest_text]
Index longest_text(const ModelConfig& config, const CacheSpec& spec, Index budget_bytes) {
  // --8<-- [start:ex04-8]
  Index fits = 0, too_long = kUnlimitedTokens;  // more tokens never need less memory
  while (too_long - fits > 1) {
    const Index middle = fits + (too_long - fits) / 2;
    (memory_needed(config, spec, middle) <= budget_bytes ? fits : too_long) = middle;
  }
  return too_long == kUnlimitedTokens ? kUnlimitedTokens : fits;
  // --8<-- [end:ex04-8]
}
// --8<-- [end:longest_text]

Index machine_memory_bytes() {
  Index bytes = Index{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  std::ifstream file("/sys/fs/cgroup/memory.max");  // a number, or "max"
  if (Index limit = 0; file >> limit && limit > 0) bytes = std::min(bytes, limit);
  return bytes;
}

std::vector<CacheSpec> compared_caches(const ModelConfig& config) {
  std::vector<CacheSpec> specs = {{.cache = "dynamic", .cache_dtype = "f32"},
                                  {.cache = "static", .cache_dtype = "f32"},
                                  {.cache = "static", .cache_dtype = "bf16"},
                                  {.cache = "int8", .cache_dtype = "bf16"},
                                  {.cache = "int4", .cache_dtype = "bf16"},
                                  {.cache = "dynamic", .cache_dtype = "bf16", .offload = true}};
  if (std::ranges::count(config.layer_types, LayerType::kSlidingAttention) > 0)
    specs.insert(specs.begin() + 3, {.cache = "sliding", .cache_dtype = "bf16"});
  return specs;
}

std::vector<CachedShape> well_known_shapes() {
  return {shape("Qwen3-0.6B", 28, 16, 8, 128), shape("Qwen2.5-7B", 28, 28, 4, 128),
          shape("70 B, 8 key/value heads for 64 heads", 80, 64, 8, 128),
          shape("70 B without groups: 64 key/value heads", 80, 64, 64, 128)};
}

Table memory_table(const ModelConfig& config, std::span<const Index> lengths, Index budget_bytes) {
  std::vector<std::string> header = {"cache"};
  for (const Index length : lengths) header.push_back(human_count(length) + " tokens");
  header.push_back("tokens in " + human_bytes(budget_bytes));
  Table table(header);
  for (const CacheSpec& spec : compared_caches(config)) {
    std::vector<std::string> row = {cache_name(spec)};
    for (const Index length : lengths) row.push_back(human_bytes(memory_needed(config, spec, length)));
    const Index longest = longest_text(config, spec, budget_bytes);
    row.push_back(longest == kUnlimitedTokens ? "any number" : human_count(longest));
    table.add_row(row);
  }
  return table;
}

}  // namespace llm
