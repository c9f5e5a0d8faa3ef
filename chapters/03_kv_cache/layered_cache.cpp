#include "chapters/03_kv_cache/layered_cache.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "common/base/error.h"

namespace llm {
namespace {

void check_index(const std::string& what, Index index, Index count) {
  if (index >= 0 && index < count) return;
  fail(ErrorCode::kRange, {.where = "cache",
                           .what = what,
                           .got = std::to_string(index),
                           .expected = "0 to " + std::to_string(count - 1)});
}

[[noreturn]] void fail_crop(Index length, Index tokens) {
  fail(ErrorCode::kRange, {.where = "cache",
                           .what = "crop to a length of",
                           .got = std::to_string(length),
                           .expected = "0 to " + std::to_string(tokens) + ", the tokens of the row"});
}

}  // namespace

LayeredCache::LayeredCache(const void* maker, std::vector<std::unique_ptr<CacheLayer>> layers)
    : Cache(maker), layers_(std::move(layers)), num_rows_(layers_.empty() ? 0 : layers_[0]->num_rows()) {
  assert(!layers_.empty());
  assert(std::ranges::all_of(layers_, [&](const auto& layer) { return layer->num_rows() == num_rows_; }));
}

LayeredCache::LayeredCache(const void* maker, Index num_layers, Index num_rows, LayerFactory make_layer)
    : Cache(maker),
      layers_(static_cast<std::size_t>(num_layers)),
      num_rows_(num_rows),
      make_layer_(std::move(make_layer)) {}

// --8<-- [start:layer]
CacheLayer& LayeredCache::layer(Index index) {
  check_index("layer", index, num_layers());
  std::unique_ptr<CacheLayer>& layer = layers_[static_cast<std::size_t>(index)];
  if (layer == nullptr) layer = make_layer_(index, num_rows_);
  return *layer;
}
// --8<-- [end:layer]

void LayeredCache::check_row(Index row) const { check_index("row", row, num_rows_); }

Index LayeredCache::get_seq_length(Index row) const {
  check_row(row);
  return layers_[0] ? layers_[0]->get_seq_length(row) : 0;
}

void LayeredCache::crop(Index row, Index length) {
  // --8<-- [start:ex03-5]
  if (length < 0 || length > get_seq_length(row)) fail_crop(length, get_seq_length(row));
  // After a pass that stopped early the later layers are shorter, perhaps short enough already.
  const auto too_long = [&](const auto& layer) { return layer && layer->get_seq_length(row) > length; };
  for (const auto& layer : layers_)
    if (too_long(layer)) layer->check_crop(row, length);
  for (const auto& layer : layers_)
    if (too_long(layer)) layer->crop(row, length);
  // --8<-- [end:ex03-5]
}

void LayeredCache::reorder(std::span<const Index> rows) {
  for (const Index row : rows) check_row(row);
  for (const auto& layer : layers_)
    if (layer) layer->reorder(rows);
  num_rows_ = static_cast<Index>(rows.size());
}

void LayeredCache::add_rows(Index count) {
  if (count < 0)
    fail(ErrorCode::kRange,
         {.where = "cache", .what = "rows to add", .got = std::to_string(count), .expected = "0 or more"});
  for (const auto& layer : layers_)
    if (layer) layer->add_rows(count);
  num_rows_ += count;
}

void LayeredCache::reset() {
  for (const auto& layer : layers_)
    if (layer) layer->reset();
}

Index LayeredCache::memory_bytes() const {
  Index sum = 0;
  for (const auto& layer : layers_)
    if (layer) sum += layer->memory_bytes();
  return sum;
}

}  // namespace llm
