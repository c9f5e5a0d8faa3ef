// What a CacheSpec means for the layers of a model.
#pragma once

#include "chapters/03_kv_cache/dynamic_layer.h"
#include "common/config/model_config.h"
#include "common/seams/cache.h"

namespace llm {

// The size of a token in each layer, in the float format that spec.cache_dtype names. Errors: kUsage.
KvShape kv_shape(const ModelConfig& config, const CacheSpec& spec);

// Errors: kUsage if max_cache_len is needed and not given, kRange unless it is at least 1.
void check_max_cache_len(const CacheSpec& spec, bool needed);

// Gives a model a window of W: its layers with a window get this one; if it has none, all do. For
// --sliding-window; an engine without a cache that is made from the same config computes the same.
// Errors: kRange unless W is at least 1.
void set_sliding_window(ModelConfig& config, Index window);

}  // namespace llm
