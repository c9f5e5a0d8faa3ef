// A cache made of layers: the container that is the same for every kind of cache.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/seams/cache.h"

namespace llm {

// Makes layer `layer` of a model with that many empty rows.
using LayerFactory = std::function<std::unique_ptr<CacheLayer>(Index layer, Index num_rows)>;

// It takes either finished layers, where they hold their memory from the start, or a factory that makes each
// layer when it is first needed, as transformers' Cache(layers=...) and Cache(layer_class_to_replicate=...).
// What it does to its layers it does to all of them or to none: it asks every layer before it changes one.
// (When memory runs out halfway through add_rows or reorder, the layers differ; the text is lost then.)
class LayeredCache : public Cache {
 public:
  // layers: at least one, all with as many rows.
  LayeredCache(const void* maker, std::vector<std::unique_ptr<CacheLayer>> layers);
  LayeredCache(const void* maker, Index num_layers, Index num_rows, LayerFactory make_layer);

  Index num_layers() const override { return static_cast<Index>(layers_.size()); }
  // Errors: kRange for a layer that the model does not have; those of the factory.
  CacheLayer& layer(Index index) override;

  Index num_rows() const override { return num_rows_; }
  // Errors: kRange for a row that is not there; so in all that follows.
  Index get_seq_length(Index row) const override;

  // length: how many tokens remain, 0 to get_seq_length(row). transformers 5.23 differs: there the argument
  // is the number of tokens to remove, zero or negative.
  void crop(Index row, Index length) override;
  void reorder(std::span<const Index> rows) override;
  void add_rows(Index count) override;
  void reset() override;
  Index memory_bytes() const override;

 private:
  void check_row(Index row) const;

  std::vector<std::unique_ptr<CacheLayer>> layers_;  // null: not needed yet, and so empty
  Index num_rows_;
  LayerFactory make_layer_;
};

}  // namespace llm
