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
  for (const Index length : {Index{-1}, driver.length(0) + 1})
    checks.fails(ErrorCode::kRange, "crop refuses a length that is not there",
                 [&] { driver.layer().crop(0, length); });
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
    const Index chunk = traits.window ? traits.longest_chunk : 5;
    if (action < 6) {
      driver.append({{row, std::min(1 + draw(chunk), longest - driver.length(row))}});
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

// A whole cache of L layers: every operation must reach all of them, each with its own tokens.
// traits describes one layer; its `make` is not used.
inline Checks cache_conformance(const CacheTraits& traits, Index num_layers,
                                const std::function<std::unique_ptr<Cache>(Index num_rows)>& make) {
  Checks checks(traits.name);
  checks.part("cache", [&] {
    const auto cache = make(2);
    checks.that(cache->num_layers() == num_layers, "num_layers");
    CacheTraits unused = traits;
    unused.make = [](Index) { return nullptr; };
    std::vector<OracleRows> rows(static_cast<std::size_t>(num_layers), OracleRows(2));
    std::vector<CacheDriver> drivers;
    for (Index l = 0; l < num_layers; ++l)
      drivers.emplace_back(unused, checks, 2, static_cast<std::uint32_t>(40 + l));
    const auto each = [&](const auto& body) {
      for (Index l = 0; l < num_layers; ++l)
        body(drivers[static_cast<std::size_t>(l)], cache->layer(l), rows[static_cast<std::size_t>(l)]);
    };
    const auto append = [&](const Append& tokens) {
      each([&](CacheDriver& driver, CacheLayer& layer, OracleRows& oracle) {
        driver.update(layer, tokens, &oracle);
      });
    };
    const auto compare = [&](const std::string& when) {
      checks.that(cache->num_rows() == static_cast<Index>(rows[0].size()), "num_rows of the cache " + when);
      for (Index row = 0; row < static_cast<Index>(rows[0].size()); ++row)
        checks.that(
            cache->get_seq_length(row) == static_cast<Index>(rows[0][static_cast<std::size_t>(row)].size()),
            "get_seq_length of the cache " + when);
      each([&](CacheDriver& driver, CacheLayer& layer, OracleRows& oracle) {
        driver.compare(layer, oracle, when);
      });
    };
    append({{0, 2}, {1, 3}});
    append({{0, 1}});
    compare("after update of every layer");
    checks.that(cache->memory_bytes() >= num_layers * 6 * traits.num_key_value_heads * traits.head_dim,
                "memory_bytes of the cache counts every layer");
    cache->crop(1, 2);
    each([](CacheDriver&, CacheLayer&, OracleRows& oracle) { oracle[1].resize(2); });
    compare("after crop of the cache");
    checks.fails(ErrorCode::kRange, "crop of the cache refuses a length that is not there",
                 [&] { cache->crop(0, 9); });
    cache->reorder(std::vector<Index>{1, 0, 1});
    each([](CacheDriver&, CacheLayer&, OracleRows& oracle) { oracle = {oracle[1], oracle[0], oracle[1]}; });
    compare("after reorder of the cache");
    checks.fails(ErrorCode::kRange, "reorder of the cache refuses a row that is not there", [&] {
      cache->reorder(std::vector<Index>{0, 3});
    });
    compare("after a refused reorder of the cache");
    cache->add_rows(1);
    each([](CacheDriver&, CacheLayer&, OracleRows& oracle) { oracle.emplace_back(); });
    append({{3, 2}, {0, 1}});
    compare("after add_rows of the cache");
    cache->reset();
    each([](CacheDriver&, CacheLayer&, OracleRows& oracle) { oracle.assign(oracle.size(), {}); });
    compare("after reset of the cache");
    if (traits.window || num_layers < 2) return;
    // A forward pass that stopped early leaves the later layers behind; crop takes back what is there.
    append({{0, 2}});
    drivers[0].update(cache->layer(0), {{0, 2}}, &rows[0]);
    cache->crop(0, 3);
    rows[0][0].resize(3);
    compare("after crop of layers of different lengths");
    cache->crop(0, 1);
    each([](CacheDriver&, CacheLayer&, OracleRows& oracle) { oracle[0].resize(1); });
    compare("after crop to a length that all layers have");
  });
  return checks;
}

}  // namespace llm::test
