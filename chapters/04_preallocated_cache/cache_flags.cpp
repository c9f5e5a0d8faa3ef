#include "chapters/04_preallocated_cache/cache_flags.h"

#include <algorithm>
#include <array>
#include <vector>

#include "chapters/03_kv_cache/cached_json_lines.h"
#include "common/base/error.h"

namespace llm {
namespace {

// transformers' names for ours.
struct Implementation {
  std::string_view name, cache;
  bool offload;
};
constexpr std::array<Implementation, 5> kImplementations = {{{"dynamic", "dynamic", false},
                                                             {"static", "static", false},
                                                             {"offloaded", "dynamic", true},
                                                             {"offloaded_static", "static", true},
                                                             {"sliding_window", "sliding", false}}};

void set_implementation(const GenerationConfig& config, CacheSpec& spec) {
  if (config.cache_implementation == "quantized") {
    const QuantizedCacheConfig codes = config.cache_config.value_or(QuantizedCacheConfig());
    spec.cache = codes.nbits == 8 ? "int8" : "int4";
    spec.offload = false;
    if (config.cache_config) {
      spec.group_size = codes.q_group_size;
      spec.residual_length = codes.residual_length;
    }
  }
  for (const Implementation& known : kImplementations) {
    if (known.name != config.cache_implementation) continue;
    spec.cache = known.cache;
    spec.offload = known.offload;
  }
}

std::vector<std::string_view> with(std::span<const std::string_view> fields,
                                   std::initializer_list<std::string_view> more) {
  std::vector<std::string_view> all(fields.begin(), fields.end());
  all.insert(all.end(), more);
  return all;
}

}  // namespace

void add_cache_flags(Options& options, CacheFlags& flags) {
  static constexpr std::string_view kEngineFlags[] = {"cache", "offload"};
  static constexpr std::string_view kCacheDTypes[] = {"f32", "bf16", "f16"};
  constexpr Index kMost = INT32_MAX;
  const std::string before = options.group("Cache");
  options.add_engine(flags.engine, kEngineFlags);
  options.add_choice("cache-dtype", flags.cache_dtype, kCacheDTypes,
                     "number format of keys and values that are not int8 or int4");
  options.add_integer(
      "sliding-window", flags.sliding_window, 1, kMost,
      "a token sees itself and so many less one before it, in every layer of a model that has "
      "no window");
  options.add_integer("max-chunk", flags.max_chunk, 1, kMost,
                      "sliding: tokens that can be appended at once, and taken back");
  options.add_integer("group-size", flags.group_size, 1, kMost,
                      "int8, int4: values that share a scale (default: 64)");
  options.add_integer("residual-length", flags.residual_length, 0, kMost,
                      "int8, int4: newest tokens that stay as they are (default: 128)");
  options.group(before);
}

void check_cache_flags(const Options& options, const CacheFlags& flags) {
  const std::string& cache = flags.engine.cache;
  const auto expect = [&](const char* flag, bool used, const std::string& caches) {
    if (options.given(flag) && !used)
      fail(ErrorCode::kUsage, {.where = std::string("--") + flag,
                               .what = "has no effect with --cache " + cache,
                               .expected = "--cache " + caches});
  };
  const bool codes = cache == "int8" || cache == "int4";
  expect("group-size", codes, "int8 or int4");
  expect("residual-length", codes, "int8 or int4");
  expect("max-chunk", cache == "sliding", "sliding");
  expect("max-cache-len", cache != "dynamic", "static, sliding, int8 or int4");
}

CacheSpec cache_spec(const CacheFlags& flags, const GenerationConfig& config, std::optional<Index> tokens) {
  CacheSpec spec{.cache = flags.engine.cache,
                 .cache_dtype = flags.cache_dtype,
                 .offload = flags.engine.offload,
                 .sliding_window = flags.sliding_window,
                 .max_chunk = flags.max_chunk,
                 .group_size = flags.group_size,
                 .residual_length = flags.residual_length};
  spec.max_cache_len = config.max_cache_len ? config.max_cache_len : tokens;
  if (!spec.max_chunk) spec.max_chunk = config.prefill_chunk_size;
  return spec;
}

CacheSpec cache_spec(const CacheFlags& flags, const GenerateRequest& request,
                     const GenerationConfig& config) {
  CacheSpec spec = cache_spec(flags, config);
  set_implementation(config, spec);
  if (request.cache) {
    spec.cache = *request.cache;
    spec.offload = request.offload;
  }
  spec.offload = spec.offload || request.offload;
  return spec;
}

std::span<const std::string_view> any_cache_request_fields() {
  static const std::vector<std::string_view> fields = with(cached_request_fields(), {"offload"});
  return fields;
}

std::span<const std::string_view> any_cache_generation_fields() {
  static const std::vector<std::string_view> fields =
      with(cached_fields(), {"cache_implementation", "cache_config", "max_cache_len"});
  return fields;
}

}  // namespace llm
