// Codes: how far they are off, that they are made once only, and what they cost.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "chapters/02_naive_loop/kv_rows.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/kv_quantize.h"
#include "chapters/04_preallocated_cache/quantized_layer.h"
#include "common/base/rng.h"
#include "common/config/known_shapes.h"
#include "tests/04_preallocated_cache/test_memory.h"
#include "tests/common/seams/kv_values.h"

namespace llm::test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<float> random_values(Index count, std::uint32_t sequence) {
  std::vector<float> values;
  for (Index i = 0; i < count; ++i) {
    const RngKey key{.seed = 5, .sequence = sequence, .purpose = RngPurpose::kTest};
    values.push_back(static_cast<float>(2 * uniform(key, static_cast<std::uint32_t>(i)) - 1));
  }
  return values;
}

TEST_CASE("a group: half a scale at most, whatever its values are") {
  for (const int max_code : {127, 7}) {
    for (const Index size : {1, 2, 7, 64}) {
      for (std::uint32_t draw = 0; draw < 50; ++draw) {
        std::vector<float> values = random_values(size, draw);
        const float factor = std::pow(10.0f, static_cast<float>(draw % 9) - 4);
        for (float& value : values) value *= factor;
        if (draw % 3 == 1) values[static_cast<std::size_t>(size / 2)] *= 1000;  // an outlier channel
        if (draw % 3 == 2) values[0] = -std::abs(values[0]) - 3 * factor;
        std::vector<std::int8_t> codes(values.size());
        const float scale = quantize_group(values, max_code, codes);
        float largest = 0;
        for (const float value : values) largest = std::max(largest, std::abs(value));
        CHECK(scale == doctest::Approx(largest / static_cast<float>(max_code)).epsilon(2e-5));
        for (std::size_t i = 0; i < values.size(); ++i) {
          CHECK(std::abs(codes[i]) <= max_code);
          CHECK(std::abs(values[i] - scale * static_cast<float>(codes[i])) <= scale / 2 * (1 + 1e-5f));
        }
      }
    }
  }
}

TEST_CASE("numbers that were codes become the same codes and the same scale") {
  for (const int max_code : {127, 7})
    for (std::uint32_t draw = 0; draw < 500; ++draw) {
      std::vector<float> values = random_values(9, draw);
      for (float& value : values) value *= std::pow(10.0f, static_cast<float>(draw % 60) - 30);
      std::vector<std::int8_t> codes(9), again(9);
      const float scale = quantize_group(values, max_code, codes);
      for (std::size_t i = 0; i < 9; ++i) {
        values[i] = scale * static_cast<float>(codes[i]);
        CHECK(static_cast<double>(values[i]) == static_cast<double>(scale) * codes[i]);  // nothing is rounded
      }
      CHECK(quantize_group(values, max_code, again) == scale);
      CHECK(again == codes);
    }
}

TEST_CASE("groups with nothing in them, and with what is no number") {
  std::vector<std::int8_t> codes(3, 99);
  CHECK(quantize_group(std::vector<float>{0, -0.0f, 0}, 127, codes) == 0);
  CHECK(codes == std::vector<std::int8_t>{0, 0, 0});
  CHECK(quantize_group(std::vector<float>{1e-42f, 0, -1e-43f}, 127, codes) == 0);
  for (const float bad : {kNaN, kInf, -kInf}) {
    CHECK(std::isnan(quantize_group(std::vector<float>{1, bad, 2}, 7, codes)));
    CHECK(std::isnan(quantize_group(std::vector<float>{bad, 1, 2}, 7, codes)));
  }
  const float huge = std::numeric_limits<float>::max();
  const float scale = quantize_group(std::vector<float>{huge, -huge, 1}, 127, codes);
  CHECK(codes == std::vector<std::int8_t>{127, -127, 0});
  CHECK(std::isfinite(scale));
}

TEST_CASE("int4: two codes a byte, the first in the low half") {
  const std::int8_t codes[] = {-7, 7, 0, 1};
  std::byte packed[2];
  pack_int4(codes, packed);
  CHECK(std::to_integer<int>(packed[0]) == 1 + 16 * 15);
  CHECK(std::to_integer<int>(packed[1]) == 8 + 16 * 9);
}

// Layers of KH 2, Dh 8 to append random tokens to.
class Tokens {
 public:
  explicit Tokens(Index count) : keys_(random_values(count * 16, 1)), values_(random_values(count * 16, 2)) {
    keys_[5] *= 50;  // an outlier that must not spoil its neighbours
  }
  void append(CacheLayer& layer, Index first, Index count) const {
    const RowTokens tokens{.row = 0, .begin = first, .count = count};
    const Index N = static_cast<Index>(keys_.size()) / 16;
    layer.update({keys_.data(), {N, 2, 8}}, {values_.data(), {N, 2, 8}}, {&tokens, 1});
  }
  float key(Index token, Index head, Index d) const {
    return keys_[static_cast<std::size_t>(token * 16 + head * 8 + d)];
  }
  float value(Index token, Index head, Index d) const {
    return values_[static_cast<std::size_t>(token * 16 + head * 8 + d)];
  }

 private:
  std::vector<float> keys_, values_;
};

// Everything that a row shows, as bytes would: values after dequantization, formats, lengths.
std::vector<float> shown(const CacheLayer& layer) {
  std::vector<float> all;
  for (const KvBlock& block : layer.blocks(0)) {
    all.push_back(static_cast<float>(block.length));
    all.push_back(static_cast<float>(block.keys.format));
    for (Index i = 0; i < block.length; ++i)
      for (Index head = 0; head < 2; ++head)
        for (Index d = 0; d < 8; ++d) {
          all.push_back(kv_value(block.keys, head, i, d));
          all.push_back(kv_value(block.values, head, i, d));
        }
  }
  return all;
}

TEST_CASE("each element is off by half a scale at most, and the tail by nothing") {
  const Tokens tokens(30);
  for (const KvFormat format : {KvFormat::kInt8, KvFormat::kInt4})
    for (const Index group : {2, 4, 8}) {
      QuantizedLayer layer(1, {2, 8}, {.format = format, .group_size = group, .residual_length = 6});
      tokens.append(layer, 0, 30);
      REQUIRE(layer.blocks(0).size() == 2);
      const KvBlock& codes = layer.blocks(0)[0];
      CHECK(codes.length == 24);
      CHECK(codes.keys.group_size == group);
      for (Index i = 0; i < 30; ++i)
        for (Index head = 0; head < 2; ++head)
          for (Index d = 0; d < 8; ++d) {
            const KvBlock& block = layer.blocks(0)[i < 24 ? 0 : 1];
            const Index at = i < 24 ? i : i - 24;
            const float key_bound = i < 24 ? codes.keys.scales_at(head, i)[d / group] / 2 : 0;
            const float value_bound = i < 24 ? codes.values.scales_at(head, i)[d / group] / 2 : 0;
            CHECK(std::abs(kv_value(block.keys, head, at, d) - tokens.key(i, head, d)) <=
                  key_bound * (1 + 1e-5f));
            CHECK(std::abs(kv_value(block.values, head, at, d) - tokens.value(i, head, d)) <=
                  value_bound * (1 + 1e-5f));
          }
      // The outlier's scale is that of its own group and token only.
      const float limit = 1.0f / (format == KvFormat::kInt8 ? 127.0f : 7.0f);
      CHECK(codes.keys.scales_at(0, 0)[5 / group] > limit);
      CHECK(codes.keys.scales_at(0, 1)[5 / group] <= limit);
      CHECK(codes.keys.scales_at(1, 0)[5 / group] <= limit);
    }
}

TEST_CASE("attention reads codes as they are defined") {
  const Tokens tokens(20);
  Buffer scratch;
  for (const KvFormat format : {KvFormat::kInt8, KvFormat::kInt4}) {
    QuantizedLayer layer(1, {2, 8}, {.format = format, .group_size = 4, .residual_length = 0});
    tokens.append(layer, 0, 20);
    const KvBlock& block = layer.blocks(0)[0];
    for (Index head = 0; head < 2; ++head) {
      const View<const float, 2> rows = kv_rows(block.values, head, 3, 14, 8, scratch);
      for (Index i = 0; i < 14; ++i)
        for (Index d = 0; d < 8; ++d) CHECK(rows(i, d) == kv_value(block.values, head, 3 + i, d));
    }
  }
}

TEST_CASE("codes do not depend on how the text was cut into chunks") {
  const Tokens tokens(60);
  for (const KvFormat tail : {KvFormat::kF32, KvFormat::kBF16, KvFormat::kF16})
    for (const Index residual : {0, 1, 5, 13}) {
      const QuantizedSizes sizes{.format = KvFormat::kInt4, .group_size = 4, .residual_length = residual};
      QuantizedLayer whole(1, {2, 8, tail}, sizes);
      tokens.append(whole, 0, 60);
      for (const Index chunk : {1, 2, 3, 7, 20, 59}) {
        CAPTURE(chunk);
        QuantizedLayer pieces(1, {2, 8, tail}, sizes);
        for (Index first = 0; first < 60; first += chunk) {
          tokens.append(pieces, first, std::min(chunk, 60 - first));
          CHECK(pieces.blocks(0).back().first_position + pieces.blocks(0).back().length ==
                std::min(first + chunk, Index{60}));
        }
        CHECK(shown(pieces) == shown(whole));
      }
    }
}

TEST_CASE("crop into the codes keeps those that remain, and new tokens begin a new tail") {
  const Tokens tokens(40);
  QuantizedLayer layer(1, {2, 8}, {.format = KvFormat::kInt8, .group_size = 8, .residual_length = 6});
  tokens.append(layer, 0, 30);  // 24 codes and 6
  const std::vector<float> before = shown(layer);
  layer.crop(0, 27);
  CHECK(layer.blocks(0)[0].length == 24);
  CHECK(layer.blocks(0)[1].length == 3);
  layer.crop(0, 10);
  REQUIRE(layer.blocks(0).size() == 1);
  CHECK(layer.blocks(0)[0].length == 10);
  CHECK(std::equal(before.begin() + 1, before.begin() + 2 + 10 * 32, shown(layer).begin() + 1));
  tokens.append(layer, 10, 5);
  REQUIRE(layer.blocks(0).size() == 2);
  CHECK(layer.blocks(0)[0].length == 10);
  CHECK(layer.blocks(0)[1].first_position == 10);
  CHECK(kv_value(layer.blocks(0)[1].keys, 1, 2, 3) == tokens.key(12, 1, 3));
  tokens.append(layer, 15, 15);
  CHECK(shown(layer) == before);  // the same tokens, the same codes
}

TEST_CASE("memory: by formula, and small enough at 4,096 tokens") {
  ModelConfig config = random_config("smollm2-135m");
  const double bf16 = 2.0 * 30 * 4096 * 3 * 64 * 2;
  for (const auto& [name, share] : {std::pair("int8", 0.55), {"int4", 0.32}}) {
    TestMemory memory;
    const CacheSpec spec{.cache = name, .cache_dtype = "bf16", .max_cache_len = 4096, .memory = &memory};
    const auto cache = make_any_cache(nullptr, config, spec);
    CHECK(cache->memory_bytes() == memory.bytes);
    CHECK(cache->memory_bytes() == cache_bytes(all_cache_kinds(), config, spec, 4096));
    CHECK(static_cast<double>(memory.bytes) <= share * bf16);
    CHECK(static_cast<double>(memory.bytes) >= (share - 0.03) * bf16);
  }
}

TEST_CASE("with max_cache_len all memory is there from the start; without, it grows by half at least") {
  const Tokens tokens(200);
  TestMemory memory;
  QuantizedSizes sizes{
      .format = KvFormat::kInt8, .group_size = 8, .residual_length = 4, .max_cache_len = 200};
  {
    QuantizedLayer layer(1, {2, 8}, sizes, &memory);
    const Index allocations = memory.allocations;
    for (Index i = 0; i < 200; ++i) tokens.append(layer, i, 1);
    CHECK(memory.allocations == allocations);
    CHECK_THROWS_WITH_AS(tokens.append(layer, 0, 1), doctest::Contains("must be 201 or more"), Error);
  }
  sizes.max_cache_len = {};
  memory.allocations = 0;
  QuantizedLayer layer(1, {2, 8}, sizes, &memory);
  for (Index i = 0; i < 200; ++i) tokens.append(layer, i, 1);
  CHECK(memory.allocations < 16);
  CHECK(memory.bytes == layer.memory_bytes());
}

}  // namespace
}  // namespace llm::test
