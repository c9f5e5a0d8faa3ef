// What every kind of cache must do: common/seams/cache.h. A new kind needs one CacheTraits.
#pragma once

#include "tests/common/seams/cache_oracle.h"

namespace llm::test {

inline void check_append(const CacheTraits& traits, Checks& checks) {
  CacheDriver driver(traits, checks, 3);
  driver.compare("when new");
  driver.append({{1, 1}});
  driver.compare("after one token");
  driver.append({{2, 2}, {0, 3}});
  driver.compare("after several tokens of rows in another order");
  driver.append({{0, 1}, {1, 1}, {2, 1}});
  driver.append({{0, 1}, {1, 1}, {2, 1}});
  driver.compare("after a step of each row");
  driver.append({});
  driver.append({{1, 0}});
  driver.compare("after an update without tokens");
  driver.append({{1, 3}});
  driver.compare("after a chunk on top of others");
}

inline void check_crop(const CacheTraits& traits, Checks& checks) {
  CacheDriver driver(traits, checks, 2);
  driver.append({{0, 3}, {1, 2}});
  driver.append({{0, 3}});
  driver.crop(0, 6);
  driver.compare("after crop to the length that there is");
  driver.crop(0, 4);
  driver.compare("after crop");
  driver.append({{0, 2}, {1, 1}});
  driver.compare("after crop and new tokens");
  for (const Index length : {Index{-1}, driver.length(0) + 1}) {
    checks.fails(ErrorCode::kRange, "crop refuses a length that is not there",
                 [&] { driver.layer().crop(0, length); });
    checks.fails(ErrorCode::kRange, "check_crop refuses it too",
                 [&] { driver.layer().check_crop(0, length); });
  }
  driver.layer().check_crop(0, driver.length(0) - 1);  // changes nothing
  driver.compare("after a refused crop");
  if (!traits.window) driver.crop(0, 1);
  driver.crop(1, 0);
  driver.compare("after crop to nothing");
  driver.append({{1, 2}});
  driver.compare("after crop to nothing and new tokens");
}

inline void check_rows(const CacheTraits& traits, Checks& checks) {
  CacheDriver driver(traits, checks, 3);
  driver.append({{0, 3}, {1, 1}, {2, 2}});
  driver.reorder({2, 0, 1});
  driver.compare("after a rotation of the rows");
  driver.reorder({1, 1, 0, 1});
  driver.compare("after reorder that repeats and leaves out rows");
  driver.append({{1, 2}, {3, 1}});
  driver.compare("after new tokens in one of several copies");
  driver.crop(0, driver.length(0) - 1);
  driver.compare("after crop of one of several copies");
  driver.reorder({2});
  driver.compare("after reorder to one row");
  for (const Index row : {Index{-1}, driver.num_rows()})
    checks.fails(ErrorCode::kRange, "reorder refuses a row that is not there", [&] {
      driver.layer().reorder(std::vector<Index>{0, row});
    });
  driver.compare("after a refused reorder");
  driver.add_rows(2);
  driver.compare("after add_rows");
  driver.append({{2, 3}, {0, 1}});
  driver.compare("after new tokens in an added row");
}

inline void check_memory(const CacheTraits& traits, Checks& checks) {
  CacheDriver driver(traits, checks, 2);
  driver.append({{0, 3}, {1, 3}});
  driver.append({{0, 3}, {1, 3}});
  const Index values = 2 * traits.num_key_value_heads * traits.head_dim;  // keys and values of a token
  const Index kept = traits.window ? std::min<Index>(6, *traits.window - 1) : 6;
  const Index bytes = driver.layer().memory_bytes();
  checks.that(bytes * 2 >= 2 * kept * values, "memory_bytes is at least half a byte a value");
  driver.reset();
  driver.compare("after reset");
  checks.that(driver.layer().memory_bytes() == bytes, "reset keeps the memory");
  driver.append({{1, 2}});
  driver.compare("after reset and new tokens");
}

inline void check_capacity(const CacheTraits& traits, Checks& checks) {
  if (!traits.capacity) return;
  CacheDriver driver(traits, checks, 2);
  const Index capacity = *traits.capacity;
  for (Index i = 0; i < capacity - 1; ++i) driver.append({{0, 1}});
  driver.append({{1, 1}});
  checks.fails(ErrorCode::kRange, "update refuses more than fits", [&] {
    driver.update(driver.layer(), {{1, 2}, {0, 2}}, nullptr);
  });
  driver.compare("after a refused update");
  driver.append({{0, 1}, {1, 3}});
  driver.compare("when full");
  checks.fails(ErrorCode::kRange, "update refuses a token beyond the capacity", [&] {
    driver.update(driver.layer(), {{0, 1}}, nullptr);
  });
  driver.compare("when full, after a refused update");
  driver.crop(0, capacity - 1);
  driver.append({{0, 1}});
  driver.compare("when full again after crop");
}

// Many operations in an order that nobody thought of.
inline void check_random_walk(const CacheTraits& traits, Checks& checks, std::uint32_t seed) {
  CacheDriver driver(traits, checks, 2, seed);
  const Index longest = traits.capacity.value_or(40);
  std::uint32_t drawn = 0;
  const auto draw = [&](Index count) {
    const RngKey key = {.seed = seed, .sequence = 5, .purpose = RngPurpose::kTest};
    return static_cast<Index>(uniform(key, drawn++) * static_cast<double>(count));
  };
  for (int step = 0; step < 120; ++step) {
    const Index row = draw(driver.num_rows());
    const Index action = draw(10);
    const std::string when = "at step " + std::to_string(step) + " of random walk " + std::to_string(seed);
    const Index room = longest - driver.length(row);
    const Index chunk = std::min<Index>(traits.window ? traits.longest_chunk : 5, room);
    if (action < 6) {
      driver.append({{row, chunk == 0 ? 0 : 1 + draw(chunk)}});
    } else if (action == 6 && traits.window) {  // a ring takes back what it has just been given
      driver.append({{row, chunk}});
      driver.crop(row, driver.length(row) - draw(chunk + 1));
    } else if (action == 6) {
      driver.crop(row, draw(driver.length(row) + 1));
    } else if (action == 7) {
      std::vector<Index> order;
      const Index rows = 1 + draw(3);
      for (Index i = 0; i < rows; ++i) order.push_back(draw(driver.num_rows()));
      driver.reorder(order);
    } else if (action == 8 && driver.num_rows() < 4) {
      driver.add_rows(1);
    } else if (action == 9 && draw(8) == 0) {
      driver.reset();
    }
    driver.compare(when);
    if (!checks.failures().empty()) return;
  }
}

// All of it for one kind of layer.
inline Checks cache_layer_conformance(const CacheTraits& traits) {
  Checks checks(traits.name);
  checks.part("append", [&] { check_append(traits, checks); });
  checks.part("crop", [&] { check_crop(traits, checks); });
  checks.part("rows", [&] { check_rows(traits, checks); });
  checks.part("memory", [&] { check_memory(traits, checks); });
  checks.part("capacity", [&] { check_capacity(traits, checks); });
  for (const std::uint32_t seed : {1u, 2u, 3u})
    checks.part("random walk", [&] { check_random_walk(traits, checks, seed); });
  return checks;
}

// A whole cache beside one oracle a layer.
class WholeCacheDriver {
 public:
  WholeCacheDriver(const CacheTraits& traits, Checks& checks, Index num_layers, Cache& cache)
      : traits_(traits), checks_(checks), cache_(cache) {
    traits_.make = [](Index) { return nullptr; };  // the layers are the cache's
    rows_.assign(static_cast<std::size_t>(num_layers), OracleRows(2));
    for (Index l = 0; l < num_layers; ++l)
      drivers_.emplace_back(traits_, checks_, 2, static_cast<std::uint32_t>(40 + l));
  }

  void append_to(Index layer, const Append& tokens) {
    const auto l = static_cast<std::size_t>(layer);
    drivers_[l].update(cache_.layer(layer), tokens, &rows_[l]);
  }
  void append(const Append& tokens) {
    for (Index l = 0; l < static_cast<Index>(rows_.size()); ++l) append_to(l, tokens);
  }
  // What an operation on the cache should do to every layer.
  void expect(const std::function<void(OracleRows&)>& change) {
    for (OracleRows& rows : rows_) change(rows);
  }
  OracleRows& rows(Index layer) { return rows_[static_cast<std::size_t>(layer)]; }

  void compare(const std::string& when) {
    const OracleRows& first = rows_[0];
    checks_.that(cache_.num_rows() == static_cast<Index>(first.size()), "num_rows of the cache " + when);
    for (std::size_t row = 0; row < first.size(); ++row)
      checks_.that(cache_.get_seq_length(static_cast<Index>(row)) == static_cast<Index>(first[row].size()),
                   "get_seq_length of the cache " + when);
    for (std::size_t l = 0; l < rows_.size(); ++l)
      drivers_[l].compare(cache_.layer(static_cast<Index>(l)), rows_[l], when);
  }

 private:
  CacheTraits traits_;
  Checks& checks_;
  Cache& cache_;
  std::vector<OracleRows> rows_;
  std::vector<CacheDriver> drivers_;
};

inline void check_whole_cache(WholeCacheDriver& driver, Cache& cache, Checks& checks) {
  driver.append({{0, 2}, {1, 3}});
  driver.append({{0, 1}});
  driver.compare("after update of every layer");
  cache.crop(1, 2);
  driver.expect([](OracleRows& rows) { rows[1].resize(2); });
  driver.compare("after crop of the cache");
  checks.fails(ErrorCode::kRange, "crop of the cache refuses a length that is not there",
               [&] { cache.crop(0, 9); });
  cache.reorder(std::vector<Index>{1, 0, 1});
  driver.expect([](OracleRows& rows) { rows = {rows[1], rows[0], rows[1]}; });
  driver.compare("after reorder of the cache");
  checks.fails(ErrorCode::kRange, "reorder of the cache refuses a row that is not there", [&] {
    cache.reorder(std::vector<Index>{0, 3});
  });
  driver.compare("after a refused reorder of the cache");
  cache.add_rows(1);
  driver.expect([](OracleRows& rows) { rows.emplace_back(); });
  driver.append({{3, 2}, {0, 1}});
  driver.compare("after add_rows of the cache");
  cache.reset();
  driver.expect([](OracleRows& rows) { rows.assign(rows.size(), {}); });
  driver.compare("after reset of the cache");
}

// A forward pass that stopped early leaves the later layers behind; crop takes back what is there.
inline void check_early_exit(WholeCacheDriver& driver, Cache& cache) {
  driver.append({{0, 2}});
  driver.append_to(0, {{0, 2}});
  cache.crop(0, 3);
  driver.rows(0)[0].resize(3);
  driver.compare("after crop of layers of different lengths");
  cache.crop(0, 1);
  driver.expect([](OracleRows& rows) { rows[0].resize(1); });
  driver.compare("after crop to a length that all layers have");
}

// A whole cache of two layers or more: every operation must reach all of them, each with its own tokens.
// traits describes one layer; its `make` is not used.
inline Checks cache_conformance(const CacheTraits& traits, Index num_layers,
                                const std::function<std::unique_ptr<Cache>(Index num_rows)>& make) {
  Checks checks(traits.name);
  checks.part("cache", [&] {
    const auto cache = make(2);
    checks.that(cache->num_layers() == num_layers, "num_layers");
    WholeCacheDriver driver(traits, checks, num_layers, *cache);
    check_whole_cache(driver, *cache, checks);
  });
  checks.part("early exit", [&] {
    const auto cache = make(2);
    WholeCacheDriver driver(traits, checks, num_layers, *cache);
    if (!traits.window) check_early_exit(driver, *cache);
    Index bytes = 0;
    for (Index l = 0; l < num_layers; ++l) bytes += cache->layer(l).memory_bytes();
    checks.that(cache->memory_bytes() >= bytes, "memory_bytes of the cache counts every layer");
  });
  return checks;
}

}  // namespace llm::test
