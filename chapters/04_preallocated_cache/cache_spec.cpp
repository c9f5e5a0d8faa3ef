#include "chapters/04_preallocated_cache/cache_spec.h"

#include <algorithm>

#include "chapters/03_kv_cache/kv_format.h"
#include "common/base/error.h"

namespace llm {
namespace {

constexpr Index kLongest = Index{1} << 31;  // tokens; keeps products of sizes far from overflow

}  // namespace

KvShape kv_shape(const ModelConfig& config, const CacheSpec& spec) {
  return {config.num_key_value_heads, config.head_dim, float_kv_format(spec.cache_dtype)};
}

void check_max_cache_len(const CacheSpec& spec, bool needed) {
  if (needed && !spec.max_cache_len)
    fail(ErrorCode::kUsage,
         {.where = "max_cache_len",
          .what = "is not given",
          .expected = "the tokens of the prompt and the new ones, for a " + spec.cache + " cache"});
  if (spec.max_cache_len && (*spec.max_cache_len < 1 || *spec.max_cache_len > kLongest))
    fail(ErrorCode::kRange, {.where = "max_cache_len",
                             .what = "got",
                             .got = std::to_string(*spec.max_cache_len),
                             .expected = "1 to " + std::to_string(kLongest) + " tokens"});
}

void set_sliding_window(ModelConfig& config, Index window) {
  if (window < 1)
    fail(ErrorCode::kRange, {.where = "sliding_window",
                             .what = "got",
                             .got = std::to_string(window),
                             .expected = "at least 1: a token sees itself"});
  config.sliding_window = window;
  if (std::ranges::count(config.layer_types, LayerType::kSlidingAttention) == 0)
    std::ranges::fill(config.layer_types, LayerType::kSlidingAttention);
}

}  // namespace llm
