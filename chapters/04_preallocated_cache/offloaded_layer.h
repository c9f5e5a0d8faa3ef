// Any layer, with its memory elsewhere while other layers are computed.
#pragma once

#include <future>
#include <memory>

#include "chapters/04_preallocated_cache/background_thread.h"
#include "chapters/04_preallocated_cache/file_memory.h"
#include "common/seams/cache.h"

namespace llm {

// Wraps a layer whose memory is a FileMemory. The forward pass asks for the next layer's memory before it
// works on a layer (prefetch), and gives the layer's own away after it (offload): two layers are resident,
// and the disk is read while the processor computes. What the layer holds is what it would hold otherwise,
// bit for bit. Source: transformers' OffloadedCache, which does the same between a GPU and its host.
class OffloadedLayer : public CacheLayer {
 public:
  // layer: its memory comes from `memory`. loader: may be shared by the layers of a cache.
  OffloadedLayer(std::unique_ptr<FileMemory> memory, std::unique_ptr<CacheLayer> layer,
                 std::shared_ptr<BackgroundThread> loader);
  ~OffloadedLayer() override { wait(); }

  void update(View<const float, 3> keys, View<const float, 3> values,
              std::span<const RowTokens> rows) override;
  std::span<const KvBlock> blocks(Index row) const override { return layer_->blocks(row); }
  Index num_rows() const override { return layer_->num_rows(); }
  Index get_seq_length(Index row) const override { return layer_->get_seq_length(row); }
  void check_crop(Index row, Index length) const override { layer_->check_crop(row, length); }
  void crop(Index row, Index length) override;
  void reorder(std::span<const Index> rows) override;
  void add_rows(Index count) override;
  void reset() override;
  void restore(Index row, Index first_position, View<const float, 3> keys,
               View<const float, 3> values) override;
  void offload() override;
  void prefetch() override;
  Index memory_bytes() const override { return layer_->memory_bytes(); }  // on the disk

 private:
  void wait();  // until nobody looks at the memory in the background

  std::unique_ptr<FileMemory> memory_;  // outlives the layer
  std::unique_ptr<CacheLayer> layer_;
  std::shared_ptr<BackgroundThread> loader_;
  std::future<void> loading_;
};

}  // namespace llm
