#include "chapters/03_kv_cache/layered_cache.h"
#include "tests/course/exercises/grading.h"

namespace llm::grading {
namespace {

using Lengths = std::vector<Index>;

// A layer that knows its rows' lengths and nothing else. A ring cannot go back behind `lost` tokens.
class FakeLayer : public CacheLayer {
 public:
  explicit FakeLayer(Lengths rows, Index lost = 0) : lengths(std::move(rows)), lost_(lost) {}
  Lengths lengths;

  void update(View<const float, 3>, View<const float, 3>, std::span<const RowTokens>) override {}
  std::span<const KvBlock> blocks(Index) const override { return {}; }
  Index num_rows() const override { return static_cast<Index>(lengths.size()); }
  Index get_seq_length(Index row) const override { return lengths.at(static_cast<std::size_t>(row)); }
  void check_crop(Index row, Index length) const override {
    CacheLayer::check_crop(row, length);
    if (length < lost_)
      fail(ErrorCode::kRange, {.where = "fake layer", .what = "has lost", .got = std::to_string(lost_)});
  }
  void crop(Index row, Index length) override {
    check_crop(row, length);
    lengths[static_cast<std::size_t>(row)] = length;
  }
  void reorder(std::span<const Index>) override {}
  void add_rows(Index) override {}
  void reset() override {}
  Index memory_bytes() const override { return 0; }

 private:
  Index lost_;
};

// A cache of such layers, which the test can look into.
struct Layers {
  explicit Layers(std::vector<FakeLayer> all) {
    std::vector<std::unique_ptr<CacheLayer>> owned;
    for (FakeLayer& one : all) {
      owned.push_back(std::make_unique<FakeLayer>(std::move(one)));
      layers.push_back(static_cast<FakeLayer*>(owned.back().get()));
    }
    cache.emplace(nullptr, std::move(owned));
  }
  std::vector<Lengths> lengths() const {
    std::vector<Lengths> all;
    for (const FakeLayer* layer : layers) all.push_back(layer->lengths);
    return all;
  }
  std::vector<FakeLayer*> layers;
  std::optional<LayeredCache> cache;
};

Layers three_layers() { return Layers({FakeLayer({7, 9}), FakeLayer({7, 9}), FakeLayer({7, 9})}); }

// crop() that must be accepted.
void crop(const std::string& what, Layers& made, Index row, Index length, std::string_view if_refused = {}) {
  bool accepted = true;
  try {
    made.cache->crop(row, length);
  } catch (const Error&) {
    accepted = false;
  }
  expect_true(what + " is accepted", accepted, if_refused);
}

TEST_CASE("the length is what remains") {
  Layers made = three_layers();
  crop("row 1 cropped to 4", made, 1, 4);
  expect_equal<std::vector<Lengths>>(
      "the lengths, layer after layer", made.lengths(), {{7, 4}, {7, 4}, {7, 4}},
      {{{{7, 5}, {7, 5}, {7, 5}}, "4 tokens were removed; 4 is the length that remains"},
       {{{4, 4}, {4, 4}, {4, 4}}, "row 0 was cropped, too"},
       {{{7, 4}, {7, 9}, {7, 9}}, "only the first layer was cropped; every layer keeps keys of its own"}});
}

TEST_CASE("0 is a length, and so is the whole") {
  Layers made = three_layers();
  crop("row 0 cropped to all its 7", made, 0, 7);
  expect_equal<std::vector<Lengths>>("nothing is removed", made.lengths(), {{7, 9}, {7, 9}, {7, 9}});
  crop("row 0 cropped to 0", made, 0, 0);
  expect_equal<std::vector<Lengths>>(
      "nothing remains", made.lengths(), {{0, 9}, {0, 9}, {0, 9}},
      {{{{7, 9}, {7, 9}, {7, 9}}, "a crop to 0 kept everything; 0 is a length like any other"}});
}

TEST_CASE("what is no length is an error") {
  Layers made = three_layers();
  expect_error(
      "crop(0, -2)", ErrorCode::kRange, [&] { made.cache->crop(0, -2); },
      "a negative length was taken as a number of tokens to remove, as transformers does; here it is an "
      "error");
  expect_error(
      "crop(0, 8) of 7 tokens", ErrorCode::kRange, [&] { made.cache->crop(0, 8); },
      "more than there is was accepted: whoever asks for it has miscounted, and should hear of it");
  expect_equal<std::vector<Lengths>>("nothing is changed", made.lengths(), {{7, 9}, {7, 9}, {7, 9}});
}

TEST_CASE("all layers, or none") {
  Layers made({FakeLayer({7, 9}), FakeLayer({7, 9}), FakeLayer({7, 9}, 6)});
  expect_error("crop(1, 5) where the last layer has lost 6 tokens", ErrorCode::kRange,
               [&] { made.cache->crop(1, 5); });
  expect_equal<std::vector<Lengths>>("nothing is changed", made.lengths(), {{7, 9}, {7, 9}, {7, 9}},
                                     {{{{7, 5}, {7, 5}, {7, 9}},
                                       "the first layers had forgotten tokens when a later one refused: ask "
                                       "all, check_crop(), before one forgets"}});
  crop("crop(1, 6)", made, 1, 6);
  expect_equal<std::vector<Lengths>>("back to 6", made.lengths(), {{7, 6}, {7, 6}, {7, 6}});
}

TEST_CASE("a layer that is short enough stays as it is") {
  Layers made({FakeLayer({7, 9}), FakeLayer({7, 7}), FakeLayer({7, 4})});
  crop("a crop to 6 after a pass that stopped early", made, 1, 6,
       "a layer that has fewer tokens already was asked to crop, and refused; leave it as it is");
  expect_equal<std::vector<Lengths>>("the lengths", made.lengths(), {{7, 6}, {7, 6}, {7, 4}});
}

TEST_CASE("a layer that was never needed is no layer yet") {
  LayeredCache cache(nullptr, 3, 2, [](Index, Index) { return std::make_unique<FakeLayer>(Lengths{3, 5}); });
  (void)cache.layer(0);
  cache.crop(1, 2);
  expect_equal<Index>("the length", cache.get_seq_length(1), 2);
}

}  // namespace
}  // namespace llm::grading
