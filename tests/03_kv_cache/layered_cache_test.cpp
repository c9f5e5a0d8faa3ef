// The container: layers made late or early, and all of them changed or none.
#include "chapters/03_kv_cache/layered_cache.h"

#include <doctest/doctest.h>

#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/dynamic_layer.h"
#include "tests/02_naive_loop/random_model.h"

namespace llm::test {
namespace {

void append(CacheLayer& layer, Index row, Index count) {
  const Tensor<float, 3> values({count, 1, 2}, 1.0f);
  const RowTokens one{.row = row, .begin = 0, .count = count};
  layer.update(values, values, {&one, 1});
}

// Like a ring: refuses to go back further than to `oldest`.
class StubbornLayer : public DynamicLayer {
 public:
  StubbornLayer(Index num_rows, Index oldest) : DynamicLayer({1, 2}, num_rows), oldest_(oldest) {}
  void check_crop(Index row, Index length) const override {
    DynamicLayer::check_crop(row, length);
    if (length < oldest_) fail(ErrorCode::kRange, {.where = "stubborn layer", .what = "has forgotten it"});
  }

 private:
  Index oldest_;
};

struct Made {
  std::vector<Index> layers = {};
  std::vector<Index> rows = {};
  std::unique_ptr<LayeredCache> cache(Index num_layers, Index num_rows) {
    return std::make_unique<LayeredCache>(this, num_layers, num_rows, [this](Index layer, Index rows_now) {
      layers.push_back(layer);
      rows.push_back(rows_now);
      return std::make_unique<DynamicLayer>(KvShape{1, 2}, rows_now);
    });
  }
};

TEST_CASE("a factory is asked for a layer when somebody needs it, with the rows that there are then") {
  Made made;
  const auto cache = made.cache(4, 2);
  CHECK(cache->num_layers() == 4);
  CHECK(cache->get_seq_length(1) == 0);
  CHECK(cache->memory_bytes() == 0);
  CHECK(made.layers.empty());
  append(cache->layer(2), 1, 3);
  CHECK(made.layers == std::vector<Index>{2});
  cache->add_rows(3);
  cache->reorder(std::vector<Index>{1, 4, 1});
  CHECK(cache->num_rows() == 3);
  CHECK(cache->layer(2).get_seq_length(2) == 3);
  CHECK(cache->layer(0).num_rows() == 3);
  CHECK(made.layers == std::vector<Index>{2, 0});
  CHECK(made.rows == std::vector<Index>{2, 3});
  cache->reset();
  CHECK(cache->layer(2).get_seq_length(0) == 0);
}

TEST_CASE("crop asks every layer before the first one forgets anything") {
  std::vector<std::unique_ptr<CacheLayer>> layers;
  layers.push_back(std::make_unique<DynamicLayer>(KvShape{1, 2}, 1));
  layers.push_back(std::make_unique<StubbornLayer>(1, 4));
  LayeredCache cache(nullptr, std::move(layers));
  for (Index l = 0; l < 2; ++l) append(cache.layer(l), 0, 6);
  CHECK_THROWS_WITH_AS(cache.crop(0, 3), doctest::Contains("has forgotten"), Error);
  CHECK(cache.layer(0).get_seq_length(0) == 6);
  cache.crop(0, 4);
  for (Index l = 0; l < 2; ++l) CHECK(cache.layer(l).get_seq_length(0) == 4);
  cache.crop(0, 4);
  CHECK(cache.get_seq_length(0) == 4);
}

TEST_CASE("a length that is not there, a row that is not there, a layer that is not there") {
  Made made;
  const auto cache = made.cache(2, 1);
  CHECK_THROWS_AS(cache->crop(0, 1), Error);  // nothing is cached yet
  cache->crop(0, 0);
  for (Index l = 0; l < 2; ++l) append(cache->layer(l), 0, 2);
  for (const Index length : {-1, 3})
    CHECK_THROWS_WITH_AS(cache->crop(0, length), doctest::Contains("0 to 2"), Error);
  for (const Index row : {-1, 1}) {
    CHECK_THROWS_AS(cache->crop(row, 0), Error);
    CHECK_THROWS_AS((void)cache->get_seq_length(row), Error);
    CHECK_THROWS_AS(cache->reorder(std::vector<Index>{0, row}), Error);
  }
  CHECK_THROWS_AS(cache->add_rows(-1), Error);
  for (const Index layer : {-1, 2}) CHECK_THROWS_AS(cache->layer(layer), Error);
  CHECK(cache->get_seq_length(0) == 2);
  CHECK(cache->num_rows() == 1);
}

TEST_CASE(
    "the table: an unknown kind, a wrong dtype, no rows, offloading are refused when the cache is made") {
  const ModelConfig config = awkward_config("llama");
  const Transformer model(config, to_checkpoint(config, random_weights(config, 3)),
                          cached_engine(dynamic_cache_kinds()));
  const auto message = [&](const CacheSpec& spec) -> std::string {
    try {
      (void)model.make_cache(spec);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message({.cache = "ring"}).find("dynamic") != std::string::npos);
  CHECK(message({.cache_dtype = "int8"}).find("f32, bf16 or f16") != std::string::npos);
  CHECK(message({.num_rows = 0}).find("at least 1") != std::string::npos);
  CHECK(message({.offload = true}).find("04_preallocated_cache") != std::string::npos);
  const auto cache = model.make_cache({.num_rows = 3});
  CHECK(cache->maker() == &model);
  CHECK(cache->num_layers() == config.num_hidden_layers);
  CHECK(cache->num_rows() == 3);
}

}  // namespace
}  // namespace llm::test
