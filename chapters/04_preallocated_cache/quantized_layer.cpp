#include "chapters/04_preallocated_cache/quantized_layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "chapters/02_naive_loop/kv_rows.h"
#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "chapters/04_preallocated_cache/static_layer.h"

namespace llm {
namespace {

constexpr Index kSpareTailSlots = 8;
constexpr Index kDefaultGroup = 64, kDefaultResidual = 128;

// 64, or the largest smaller one that divides head_dim.
Index default_group_size(Index head_dim) {
  Index group = std::min(kDefaultGroup, head_dim);
  while (head_dim % group != 0) --group;
  return group;
}

QuantizedSizes quantized_sizes(const ModelConfig& config, const CacheSpec& spec) {
  return {.format = spec.cache == "int4" ? KvFormat::kInt4 : KvFormat::kInt8,
          .group_size = spec.group_size.value_or(default_group_size(config.head_dim)),
          .residual_length = spec.residual_length.value_or(kDefaultResidual),
          .max_cache_len = spec.max_cache_len};
}

void check_quantized(const ModelConfig& config, const CacheSpec& spec) {
  (void)kv_shape(config, spec);
  check_max_cache_len(spec, /*needed=*/false);
  const QuantizedSizes sizes = quantized_sizes(config, spec);
  const Index group = sizes.group_size;
  if (group < 1 || group > kLargestGroup || config.head_dim % group != 0)
    fail(ErrorCode::kRange,
         {.where = "group_size",
          .what = "got",
          .got = std::to_string(group),
          .expected = fmt::format("a divisor of head_dim {}, at most {}", config.head_dim, kLargestGroup)});
  if (sizes.format == KvFormat::kInt4 && group % 2 != 0)
    fail(ErrorCode::kRange, {.where = "group_size",
                             .what = "got",
                             .got = std::to_string(group),
                             .expected = "an even number for int4, which has two values a byte"});
  constexpr Index kLongestTail = Index{1} << 31;
  if (sizes.residual_length < 0 || sizes.residual_length > kLongestTail)
    fail(ErrorCode::kRange, {.where = "residual_length",
                             .what = "got",
                             .got = std::to_string(sizes.residual_length),
                             .expected = fmt::format("0 to {} tokens", kLongestTail)});
}

std::unique_ptr<CacheLayer> make_quantized(const ModelConfig& config, const CacheSpec& spec, Index,
                                           Index num_rows) {
  return std::make_unique<QuantizedLayer>(num_rows, kv_shape(config, spec), quantized_sizes(config, spec),
                                          spec.memory);
}

Index quantized_bytes(const ModelConfig& config, const CacheSpec& spec, Index, Index tokens) {
  return QuantizedRow::memory_bytes(kv_shape(config, spec), quantized_sizes(config, spec), tokens);
}

}  // namespace

Index QuantizedSizes::quantized(Index tokens) const { return std::max<Index>(0, tokens - residual_length); }

Index QuantizedSizes::tail_slots() const {
  const Index slots = residual_length + kSpareTailSlots;
  return max_cache_len ? std::min(slots, *max_cache_len) : slots;
}

QuantizedRow::QuantizedRow(const KvShape& shape, const QuantizedSizes& sizes, KvMemory* memory)
    : shape_(shape),
      sizes_(sizes),
      memory_(memory),
      codes_(shape, sizes, sizes.quantized(sizes.max_cache_len.value_or(0)), memory),
      tail_(shape, sizes.tail_slots(), memory) {}

Index QuantizedRow::memory_bytes(const KvShape& shape, const QuantizedSizes& sizes, Index tokens) {
  return KvCodes::memory_bytes(shape, sizes, sizes.quantized(sizes.max_cache_len.value_or(tokens))) +
         KvSlots::memory_bytes(shape, sizes.tail_slots());
}

void QuantizedRow::reserve(Index count) {
  if (sizes_.max_cache_len) check_capacity(length(), count, *sizes_.max_cache_len);
  reserve_codes(num_codes_ + sizes_.quantized(tail_length_ + count));
}

// Grows by half at least.
void QuantizedRow::reserve_codes(Index slots) {
  if (slots <= codes_.size()) return;
  KvCodes larger(shape_, sizes_, std::max(slots, codes_.size() + codes_.size() / 2), memory_);
  larger.copy(codes_, num_codes_);
  codes_ = std::move(larger);
  show();
}

// --8<-- [start:append]
void QuantizedRow::append(View<const float, 3> keys, View<const float, 3> values, const RowTokens& tokens) {
  for (Index done = 0; done < tokens.count;) {
    if (tail_begin_ + tail_length_ == tail_.size()) {  // back to the first slot
      tail_.copy(tail_, tail_begin_, tail_length_, 0);
      tail_begin_ = 0;
    }
    const Index slot = tail_begin_ + tail_length_;
    const Index count = std::min(tokens.count - done, tail_.size() - slot);
    tail_.store(keys, values, tokens.begin + done, count, slot);
    tail_length_ += count;
    done += count;
    quantize_oldest(sizes_.quantized(tail_length_));
  }
  show();
}
// --8<-- [end:append]

void QuantizedRow::restore(Index first_position, View<const float, 3> keys, View<const float, 3> values) {
  check_complete(first_position);
  const Index count = keys.shape(0);
  reserve(count);
  num_codes_ = sizes_.quantized(count);
  // Straight to the codes: on the way through the tail a 16-bit format would round them.
  codes_.store({.keys = kv_view(keys), .values = kv_view(values), .first_position = 0, .length = count},
               num_codes_, 0, scratch_);
  append(keys, values, {.row = 0, .begin = num_codes_, .count = count - num_codes_});
}

void QuantizedRow::quantize_oldest(Index count) {
  codes_.store(tail_.block(tail_begin_, tail_length_, 0), count, num_codes_, scratch_);
  num_codes_ += count;
  tail_begin_ += count;
  tail_length_ -= count;
}

void QuantizedRow::crop(Index length) {
  num_codes_ = std::min(num_codes_, length);
  tail_length_ = length - num_codes_;
  if (tail_length_ == 0) tail_begin_ = 0;
  show();
}

void QuantizedRow::copy(const QuantizedRow& other) {
  codes_.copy(other.codes_, other.num_codes_);
  tail_.copy(other.tail_, other.tail_begin_, other.tail_length_, 0);
  num_codes_ = other.num_codes_;
  tail_begin_ = 0;
  tail_length_ = other.tail_length_;
  show();
}

void QuantizedRow::show() {
  num_blocks_ = 0;
  if (num_codes_ > 0) blocks_[num_blocks_++] = codes_.block(num_codes_);
  if (tail_length_ > 0) blocks_[num_blocks_++] = tail_.block(tail_begin_, tail_length_, num_codes_);
}

const CacheKind kInt8CacheKind = {.name = "int8",
                                  .preallocated = true,
                                  .check = check_quantized,
                                  .make_layer = make_quantized,
                                  .layer_bytes = quantized_bytes};
const CacheKind kInt4CacheKind = {.name = "int4",
                                  .preallocated = true,
                                  .check = check_quantized,
                                  .make_layer = make_quantized,
                                  .layer_bytes = quantized_bytes};

}  // namespace llm
