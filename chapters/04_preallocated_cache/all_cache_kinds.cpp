#include "chapters/04_preallocated_cache/all_cache_kinds.h"

#include "chapters/04_preallocated_cache/cache_memory.h"
#include "chapters/04_preallocated_cache/offloaded_layer.h"
#include "common/base/checked.h"
#include "common/base/error.h"

namespace llm {
namespace {

// --8<-- [start:offloaded]
// Each layer with files of its own; one thread for all.
LayerFactory offloaded(const CacheKind& kind, const ModelConfig& config, const CacheSpec& spec) {
  return [&kind, config, spec, loader = std::make_shared<BackgroundThread>()](Index layer, Index num_rows) {
    auto memory = std::make_unique<FileMemory>();
    CacheSpec in_files = spec;
    in_files.memory = memory.get();
    auto inner = kind.make_layer(config, in_files, layer, num_rows);
    return std::make_unique<OffloadedLayer>(std::move(memory), std::move(inner), loader);
  };
}
// --8<-- [end:offloaded]

// A system that promises more memory than it has would end the program when the promise is called in.
void check_memory(const ModelConfig& config, const CacheSpec& spec) {
  const Index machine = machine_memory_bytes();
  const auto bytes = checked_mul(cache_bytes(all_cache_kinds(), config, spec, 0), spec.num_rows);
  if (bytes && *bytes <= machine) return;
  fail(ErrorCode::kMemory, {.where = "cache",
                            .what = "needs",
                            .got = bytes ? std::to_string(*bytes) + " bytes" : "more bytes than there are",
                            .expected = "at most " + std::to_string(machine) + ", this machine's memory",
                            .remedy = "allow fewer tokens, or keep them as int8 or offloaded"});
}

}  // namespace

// --8<-- [start:table]
CacheKinds all_cache_kinds() {
  static constexpr const CacheKind* kKinds[] = {&kDynamicCacheKind, &kStaticCacheKind, &kSlidingCacheKind,
                                                &kInt8CacheKind, &kInt4CacheKind};
  return kKinds;
}
// --8<-- [end:table]

std::unique_ptr<Cache> make_any_cache(const void* maker, const ModelConfig& config, const CacheSpec& spec) {
  const CacheKind& kind = checked_cache_kind(all_cache_kinds(), config, spec);
  if (!spec.offload) {
    check_memory(config, spec);
    return make_cache(all_cache_kinds(), maker, config, spec);
  }
  const LayerFactory make_layer = offloaded(kind, config, spec);
  std::vector<std::unique_ptr<CacheLayer>> layers;
  for (Index l = 0; l < config.num_hidden_layers; ++l) layers.push_back(make_layer(l, spec.num_rows));
  return std::make_unique<LayeredCache>(maker, std::move(layers));
}

TransformerOptions any_cache_engine(Progress progress) {
  TransformerOptions options;
  options.name = "cached";
  options.cache_factory = make_any_cache;
  options.progress = std::move(progress);
  return options;
}

std::string cache_name(const CacheSpec& spec) {
  const bool quantized = spec.cache == "int8" || spec.cache == "int4";
  return spec.cache + (quantized ? ", tail " : " ") + spec.cache_dtype + (spec.offload ? ", offloaded" : "");
}

}  // namespace llm
