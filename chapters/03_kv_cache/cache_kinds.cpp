#include "chapters/03_kv_cache/cache_kinds.h"

#include <string>

#include "common/base/error.h"

namespace llm {

CacheKinds dynamic_cache_kinds() {
  static constexpr const CacheKind* kKinds[] = {&kDynamicCacheKind};
  return kKinds;
}

const CacheKind& find_cache_kind(CacheKinds kinds, std::string_view name) {
  std::string names;
  for (const CacheKind* kind : kinds) {
    if (kind->name == name) return *kind;
    names += (names.empty() ? "" : ", ") + std::string(kind->name);
  }
  fail(ErrorCode::kUnsupported, {.where = "cache",
                                 .what = "this program does not have",
                                 .got = "'" + std::string(name) + "'",
                                 .expected = names,
                                 .remedy = kinds.size() == 1 ? "04_preallocated_cache has every kind" : ""});
}

const CacheKind& checked_cache_kind(CacheKinds kinds, const ModelConfig& config, const CacheSpec& spec) {
  const CacheKind& kind = find_cache_kind(kinds, spec.cache);
  if (spec.num_rows < 1)
    fail(ErrorCode::kRange,
         {.where = "cache", .what = "rows", .got = std::to_string(spec.num_rows), .expected = "at least 1"});
  kind.check(config, spec);
  return kind;
}

LayerFactory layer_factory(const CacheKind& kind, const ModelConfig& config, const CacheSpec& spec) {
  return [&kind, config, spec](Index layer, Index num_rows) {
    return kind.make_layer(config, spec, layer, num_rows);
  };
}

std::unique_ptr<Cache> make_cache(CacheKinds kinds, const void* maker, const ModelConfig& config,
                                  const CacheSpec& spec) {
  const CacheKind& kind = checked_cache_kind(kinds, config, spec);
  const LayerFactory make_layer = layer_factory(kind, config, spec);
  if (!kind.preallocated)
    return std::make_unique<LayeredCache>(maker, config.num_hidden_layers, spec.num_rows, make_layer);
  std::vector<std::unique_ptr<CacheLayer>> layers;
  for (Index l = 0; l < config.num_hidden_layers; ++l) layers.push_back(make_layer(l, spec.num_rows));
  return std::make_unique<LayeredCache>(maker, std::move(layers));
}

Index cache_bytes(CacheKinds kinds, const ModelConfig& config, const CacheSpec& spec, Index tokens) {
  const CacheKind& kind = find_cache_kind(kinds, spec.cache);
  kind.check(config, spec);
  Index sum = 0;
  for (Index l = 0; l < config.num_hidden_layers; ++l) sum += kind.layer_bytes(config, spec, l, tokens);
  return sum;
}

TransformerOptions cached_engine(CacheKinds kinds, Progress progress) {
  TransformerOptions options;
  options.name = "cached";
  options.cache_factory = [kinds](const void* maker, const ModelConfig& config, const CacheSpec& spec) {
    if (spec.offload)
      fail(ErrorCode::kUnsupported, {.where = "cache",
                                     .what = "this program cannot offload it",
                                     .remedy = "04_preallocated_cache can"});
    return make_cache(kinds, maker, config, spec);
  };
  options.progress = std::move(progress);
  return options;
}

}  // namespace llm
