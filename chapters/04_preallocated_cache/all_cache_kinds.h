// The table of all kinds of cache, and offloading, which goes with any of them.
#pragma once

#include "chapters/03_kv_cache/cache_kinds.h"

namespace llm {

extern const CacheKind kStaticCacheKind;   // static_layer.cpp
extern const CacheKind kSlidingCacheKind;  // sliding_window_layer.cpp
extern const CacheKind kInt8CacheKind;     // quantized_layer.cpp
extern const CacheKind kInt4CacheKind;     // quantized_layer.cpp

// dynamic, static, sliding, int8, int4.
CacheKinds all_cache_kinds();

// A cache of any kind for any engine, offloaded if the spec says so. Errors: those of make_cache(); kMemory
// if it would need more memory than this machine has.
std::unique_ptr<Cache> make_any_cache(const void* maker, const ModelConfig& config, const CacheSpec& spec);

// Chapter 02's forward pass with any of these caches. The name is "cached".
TransformerOptions any_cache_engine(Progress progress = {});

// "int8, tail bf16", "static f32, offloaded": for tables. "offloaded" on the command line is dynamic.
std::string cache_name(const CacheSpec& spec);

}  // namespace llm
