// Which cache the user wants: the same flags and JSON fields in every program that generates.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/cli/generate_request.h"
#include "common/cli/options.h"
#include "common/seams/cache.h"

namespace llm {

struct CacheFlags {
  EngineFlags engine;               // --cache and --offload
  std::string cache_dtype = "f32";  // --cache-dtype
  std::optional<Index> sliding_window, max_chunk, group_size, residual_length;
};

// --cache, --offload, --cache-dtype, --sliding-window, --max-chunk, --group-size, --residual-length.
// (--max-cache-len is a field of the generation config.)
void add_cache_flags(Options& options, CacheFlags& flags);

// For a program that makes one cache of these flags. Errors: kUsage for a flag that this kind of cache does
// not look at.
void check_cache_flags(const Options& options, const CacheFlags& flags);

// The spec for one row. max_cache_len: from the config, else `tokens`, if given.
CacheSpec cache_spec(const CacheFlags& flags, const GenerationConfig& config,
                     std::optional<Index> tokens = {});

// The spec for a request, whose "cache" and "offload" win over the config's cache_implementation and
// cache_config, and these over the flags. Names of cache_implementation are transformers': "quantized" is
// int4 unless nbits is 8, "offloaded_static" is static and offloaded, "sliding_window" is sliding.
CacheSpec cache_spec(const CacheFlags& flags, const GenerateRequest& request, const GenerationConfig& config);

// What requests may hold beside chapter 03's fields: "offload"; cache_implementation, cache_config and
// max_cache_len in the generation config.
std::span<const std::string_view> any_cache_request_fields();
std::span<const std::string_view> any_cache_generation_fields();

}  // namespace llm
