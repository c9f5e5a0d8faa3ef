// Kinds of cache whose bytes the tests choose. They stand where the chapter's table stands, so that the
// formulas of all the layers need not be built to test what is done with the results.
#pragma once

#include <array>

#include "chapters/04_preallocated_cache/cache_memory.h"

namespace llm::grading {

// Bytes of `tokens` tokens in a layer: a fixed part, so much a token, and so much a begun group of 16 tokens;
// up to `ring` tokens, if it is not 0. Layer l takes the element l % size.
struct FakeBytes {
  Index fixed = 0, token = 0, group = 0, ring = 0;
  Index of(Index tokens) const {
    const Index held = ring > 0 && tokens > ring ? ring : tokens;
    return fixed + token * held + group * ((held + 15) / 16);
  }
};
inline std::vector<FakeBytes>& fake_layers() {
  static std::vector<FakeBytes> layers;
  return layers;
}

inline ModelConfig fake_config() {
  ModelConfig config;
  config.num_hidden_layers = static_cast<Index>(fake_layers().size());
  config.layer_types.assign(fake_layers().size(), LayerType::kFullAttention);
  return config;
}

}  // namespace llm::grading

namespace llm {

inline constexpr CacheKind kFakeKind = {
    .name = "fake",
    .preallocated = true,
    .check = [](const ModelConfig&, const CacheSpec&) {},
    .make_layer = [](const ModelConfig&, const CacheSpec&, Index, Index) -> std::unique_ptr<CacheLayer> {
      return nullptr;
    },
    .layer_bytes =
        [](const ModelConfig&, const CacheSpec&, Index layer, Index tokens) {
          return grading::fake_layers().at(static_cast<std::size_t>(layer)).of(tokens);
        }};
const CacheKind kDynamicCacheKind = kFakeKind;
CacheKinds all_cache_kinds() {
  static constexpr const CacheKind* kKinds[] = {&kFakeKind};
  return kKinds;
}
std::string cache_name(const CacheSpec& spec) { return spec.cache; }

}  // namespace llm
