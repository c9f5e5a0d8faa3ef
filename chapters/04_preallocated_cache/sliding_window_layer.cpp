#include "chapters/04_preallocated_cache/sliding_window_layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "chapters/04_preallocated_cache/static_layer.h"

namespace llm {
namespace {

void expect_at_least_one(const std::string& name, std::optional<Index> value) {
  if (value && *value < 1)
    fail(ErrorCode::kRange,
         {.where = name, .what = "got", .got = std::to_string(*value), .expected = "at least 1"});
}

void check_sliding(const ModelConfig& config, const CacheSpec& spec) {
  (void)kv_shape(config, spec);
  check_max_cache_len(spec, /*needed=*/false);
  expect_at_least_one("sliding_window", spec.sliding_window);
  expect_at_least_one("max_chunk", spec.max_chunk);
  const auto window = std::ranges::count(config.layer_types, LayerType::kSlidingAttention) > 0
                          ? config.sliding_window
                          : std::nullopt;
  if (!window)
    fail(ErrorCode::kUsage, {.where = "sliding cache",
                             .what = "every layer of this model sees all earlier tokens",
                             .remedy = "give it a window with --sliding-window"});
  if (spec.sliding_window && spec.sliding_window != window)
    fail(ErrorCode::kMismatch, {.where = "sliding_window",
                                .what = "got",
                                .got = std::to_string(*spec.sliding_window),
                                .expected = fmt::format("{}, with which the model attends", *window)});
}

RingSizes ring_sizes(const ModelConfig& config, const CacheSpec& spec, Index layer) {
  return {.sliding_window = *config.window(layer),
          .max_chunk = spec.max_chunk.value_or(1),
          .max_cache_len = spec.max_cache_len};
}

[[noreturn]] void fail_lost(Index length, Index tokens, Index needed, Index oldest, Index max_chunk) {
  fail(ErrorCode::kRange,
       {.where = "sliding window cache: crop",
        .what = fmt::format("to {} of {} tokens needs the key at position {}", length, tokens, needed),
        .got = fmt::format("keys from position {} on", oldest),
        .remedy = fmt::format("reset the cache and compute anew, or take back at most max_chunk = {} tokens",
                              max_chunk)});
}

// Layers that see everything keep everything: preallocated if the length is known.
const CacheKind& full_kind(const CacheSpec& spec) {
  return spec.max_cache_len ? kStaticCacheKind : kDynamicCacheKind;
}

}  // namespace

Index RingSizes::slots(Index count) const {
  const Index needed = sliding_window - 1 + std::max(count, max_chunk);
  return max_cache_len ? std::min(needed, *max_cache_len) : needed;
}

RingRow::RingRow(const KvShape& shape, const RingSizes& sizes, KvMemory* memory)
    : shape_(shape), sizes_(sizes), memory_(memory), slots_(shape, sizes.slots(0), memory) {}

void RingRow::reserve(Index count) {
  if (sizes_.max_cache_len) check_capacity(length_, count, *sizes_.max_cache_len);
  if (const Index slots = sizes_.slots(count); slots != slots_.size()) resize(slots);
}

// Moves the newest tokens into a ring of another size.
void RingRow::resize(Index slots) {
  KvSlots larger(shape_, slots, memory_);
  stored_ = std::min(stored_, slots);
  for (Index position = oldest(); position < length_; ++position)
    larger.copy(slots_, position % slots_.size(), 1, position % slots);
  slots_ = std::move(larger);
  show();
}

// --8<-- [start:append]
void RingRow::append(View<const float, 3> keys, View<const float, 3> values, const RowTokens& tokens) {
  for (Index done = 0; done < tokens.count;) {  // at most twice: up to the last slot, then from the first on
    const Index slot = length_ % slots_.size();
    const Index count = std::min(tokens.count - done, slots_.size() - slot);
    slots_.store(keys, values, tokens.begin + done, count, slot);
    length_ += count;
    done += count;
  }
  stored_ = std::min(stored_ + tokens.count, slots_.size());
  show();
}
// --8<-- [end:append]

// The older tokens were seen and are lost.
void RingRow::restore(Index first_position, View<const float, 3> keys, View<const float, 3> values) {
  const Index count = keys.shape(0);
  if (sizes_.max_cache_len) check_capacity(first_position, count, *sizes_.max_cache_len);
  reserve(count);
  length_ = first_position;
  append(keys, values, {.row = 0, .begin = 0, .count = count});
}

void RingRow::check_crop(Index length) const {
  // --8<-- [start:ex04-5]
  // What the next token sees beside itself: W - 1 tokens.
  const Index needed = std::max<Index>(0, length - (sizes_.sliding_window - 1));
  if (needed < length && needed < oldest()) fail_lost(length, length_, needed, oldest(), sizes_.max_chunk);
  // --8<-- [end:ex04-5]
}

void RingRow::crop(Index length) {
  stored_ = std::max<Index>(0, length - oldest());
  length_ = length;
  show();
}

void RingRow::clear() {
  length_ = stored_ = 0;
  show();
}

void RingRow::reserve_copy(const RingRow& other) {
  if (slots_.size() != other.slots_.size()) resize(other.slots_.size());
}

void RingRow::copy(const RingRow& other) {
  slots_.copy(other.slots_, 0, slots_.size(), 0);
  length_ = other.length_;
  stored_ = other.stored_;
  show();
}

void RingRow::show() {
  // --8<-- [start:ex04-4]
  num_blocks_ = 0;
  for (Index position = oldest(); position < length_;) {
    const Index slot = position % slots_.size();
    const Index count = std::min(length_ - position, slots_.size() - slot);
    blocks_[num_blocks_++] = slots_.block(slot, count, position);
    position += count;
  }
  // --8<-- [end:ex04-4]
}

const CacheKind kSlidingCacheKind = {
    .name = "sliding",
    .preallocated = true,
    .check = check_sliding,
    .make_layer = [](const ModelConfig& config, const CacheSpec& spec, Index layer,
                     Index num_rows) -> std::unique_ptr<CacheLayer> {
      if (!config.window(layer)) return full_kind(spec).make_layer(config, spec, layer, num_rows);
      return std::make_unique<SlidingWindowLayer>(num_rows, kv_shape(config, spec),
                                                  ring_sizes(config, spec, layer), spec.memory);
    },
    .layer_bytes =
        [](const ModelConfig& config, const CacheSpec& spec, Index layer, Index tokens) {
          if (!config.window(layer)) return full_kind(spec).layer_bytes(config, spec, layer, tokens);
          return RingRow::memory_bytes(kv_shape(config, spec), ring_sizes(config, spec, layer));
        }};

}  // namespace llm
