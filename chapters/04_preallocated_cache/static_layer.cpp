#include "chapters/04_preallocated_cache/static_layer.h"

#include <fmt/format.h>

#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_spec.h"

namespace llm {

StaticRow::StaticRow(const KvShape& shape, Index capacity, KvMemory* memory)
    : slots_(shape, capacity, memory), block_(slots_.block(0, 0, 0)) {}

void StaticRow::reserve(Index count) const { check_capacity(length(), count, slots_.size()); }

// --8<-- [start:append]
void StaticRow::append(View<const float, 3> keys, View<const float, 3> values, const RowTokens& tokens) {
  slots_.store(keys, values, tokens.begin, tokens.count, length());
  block_.length += tokens.count;
}
// --8<-- [end:append]

void StaticRow::restore(Index first_position, View<const float, 3> keys, View<const float, 3> values) {
  check_complete(first_position);
  reserve(keys.shape(0));
  append(keys, values, {.row = 0, .begin = 0, .count = keys.shape(0)});
}

void StaticRow::copy(const StaticRow& other) {
  slots_.copy(other.slots_, 0, other.length(), 0);
  block_.length = other.length();
}

void check_complete(Index first_position) {
  if (first_position == 0) return;
  fail(ErrorCode::kRange, {.where = "cache",
                           .what = "the first tokens are not there:",
                           .got = fmt::format("tokens from position {} on", first_position),
                           .expected = "all"});
}

void check_capacity(Index length, Index count, Index max_cache_len) {
  // --8<-- [start:ex04-1]
  if (count <= max_cache_len - length) return;
  fail(ErrorCode::kRange, {.where = "cache",
                           .what = "is full:",
                           .got = fmt::format("{} tokens and {} more", length, count),
                           .expected = fmt::format("at most {}", max_cache_len),
                           .remedy = fmt::format("max_cache_len must be {} or more", length + count)});
  // --8<-- [end:ex04-1]
}

const CacheKind kStaticCacheKind = {.name = "static",
                                    .preallocated = true,
                                    .check =
                                        [](const ModelConfig& config, const CacheSpec& spec) {
                                          (void)kv_shape(config, spec);
                                          check_max_cache_len(spec, /*needed=*/true);
                                        },
                                    .make_layer = [](const ModelConfig& config, const CacheSpec& spec, Index,
                                                     Index num_rows) -> std::unique_ptr<CacheLayer> {
                                      return std::make_unique<StaticLayer>(num_rows, kv_shape(config, spec),
                                                                           *spec.max_cache_len, spec.memory);
                                    },
                                    .layer_bytes =
                                        [](const ModelConfig& config, const CacheSpec& spec, Index, Index) {
                                          return StaticRow::memory_bytes(kv_shape(config, spec),
                                                                         *spec.max_cache_len);
                                        }};

}  // namespace llm
