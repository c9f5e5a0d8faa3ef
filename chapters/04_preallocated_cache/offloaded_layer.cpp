#include "chapters/04_preallocated_cache/offloaded_layer.h"

namespace llm {

OffloadedLayer::OffloadedLayer(std::unique_ptr<FileMemory> memory, std::unique_ptr<CacheLayer> layer,
                               std::shared_ptr<BackgroundThread> loader)
    : memory_(std::move(memory)), layer_(std::move(layer)), loader_(std::move(loader)) {}

void OffloadedLayer::wait() {
  if (loading_.valid()) loading_.get();
}

void OffloadedLayer::prefetch() {
  // --8<-- [start:ex04-6]
  wait();  // one after the other
  const FileMemory* memory = memory_.get();
  loading_ = loader_->run([memory] { memory->load(); });
  // --8<-- [end:ex04-6]
}

void OffloadedLayer::offload() {
  wait();
  memory_->evict();
}

// Growing changes the list of what there is to load.
void OffloadedLayer::update(View<const float, 3> keys, View<const float, 3> values,
                            std::span<const RowTokens> rows) {
  wait();
  layer_->update(keys, values, rows);
}

void OffloadedLayer::restore(Index row, Index first_position, View<const float, 3> keys,
                             View<const float, 3> values) {
  wait();
  layer_->restore(row, first_position, keys, values);
  memory_->evict();  // layers are restored one after the other
}

void OffloadedLayer::crop(Index row, Index length) {
  wait();
  layer_->crop(row, length);
}

void OffloadedLayer::reorder(std::span<const Index> rows) {
  wait();
  layer_->reorder(rows);
  memory_->evict();  // copies were made
}

void OffloadedLayer::add_rows(Index count) {
  wait();
  layer_->add_rows(count);
}

void OffloadedLayer::reset() {
  wait();
  layer_->reset();
}

}  // namespace llm
