// The kinds of cache: a table with one row each. This chapter has one row, chapter 04 the table with all.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "chapters/02_naive_loop/transformer.h"
#include "chapters/03_kv_cache/layered_cache.h"
#include "common/config/model_config.h"

namespace llm {

// A new kind is one pair of files, which define its layer and this row, and one line in the table.
struct CacheKind {
  std::string_view name;      // CacheSpec::cache
  bool preallocated = false;  // every layer is made with the cache rather than when it is first needed

  // Errors for what the spec says and this kind cannot do. Fields that it does not use are ignored.
  void (*check)(const ModelConfig& config, const CacheSpec& spec);
  // Layer `layer` of the model with num_rows empty rows.
  std::unique_ptr<CacheLayer> (*make_layer)(const ModelConfig& config, const CacheSpec& spec, Index layer,
                                            Index num_rows);
  // Bytes of keys, values and scales that `tokens` tokens of one row need in that layer, by formula.
  Index (*layer_bytes)(const ModelConfig& config, const CacheSpec& spec, Index layer, Index tokens);
};

using CacheKinds = std::span<const CacheKind* const>;

extern const CacheKind kDynamicCacheKind;  // dynamic_layer.cpp

// This chapter's table: dynamic.
CacheKinds dynamic_cache_kinds();

// Errors: kUnsupported for a kind that is not in the table, with the names that are.
const CacheKind& find_cache_kind(CacheKinds kinds, std::string_view name);

// The kind that the spec names, which can do what the spec says. Errors: kUnsupported for an unknown kind;
// kRange for a number of rows below 1; those of the kind's check().
const CacheKind& checked_cache_kind(CacheKinds kinds, const ModelConfig& config, const CacheSpec& spec);

// A cache as the spec wants it. maker: the engine. Errors: those of checked_cache_kind(). `offload` is not
// looked at: chapter 04 wraps the layers that layer_factory() makes.
std::unique_ptr<Cache> make_cache(CacheKinds kinds, const void* maker, const ModelConfig& config,
                                  const CacheSpec& spec);
LayerFactory layer_factory(const CacheKind& kind, const ModelConfig& config, const CacheSpec& spec);

// All layers of one row by formula; for the dynamic cache 2 * L * tokens * KH * Dh * bytes a value.
Index cache_bytes(CacheKinds kinds, const ModelConfig& config, const CacheSpec& spec, Index tokens);

// The engine of this chapter: chapter 02's forward pass with these kinds of cache. The name is "cached".
// Errors in make_cache(): those above, and kUnsupported for offload.
TransformerOptions cached_engine(CacheKinds kinds, Progress progress = {});

}  // namespace llm
