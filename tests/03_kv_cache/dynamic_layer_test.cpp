// What is the dynamic layer's own: how it grows, what it holds, what it refuses.
#include "chapters/03_kv_cache/dynamic_layer.h"

#include <doctest/doctest.h>
#include <malloc.h>

#include <cmath>

#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/kv_format.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/common/seams/kv_values.h"

namespace llm::test {
namespace {

constexpr Index kHeads = 3, kDim = 5;

// count tokens whose values are first, first + 1, ...
Tensor<float, 3> tokens(Index count, float first) {
  Tensor<float, 3> values({count, kHeads, kDim});
  for (Index i = 0; i < values.size(); ++i) values.data()[i] = first + static_cast<float>(i);
  return values;
}

void append(DynamicLayer& layer, Index row, Index count, float first = 0) {
  const Tensor<float, 3> keys = tokens(count, first), values = tokens(count, -first);
  const RowTokens one{.row = row, .begin = 0, .count = count};
  layer.update(keys, values, {&one, 1});
}

TEST_CASE("growing copies a few times the text, not its square") {
  for (const Index total : {1, 2, 3, 5, 7, 100, 1000, 3000}) {
    DynamicLayer layer({kHeads, kDim, KvFormat::kF32}, 1);
    for (Index i = 0; i < total; ++i) append(layer, 0, 1);
    const Index text_bytes = total * 2 * kHeads * kDim * 4;
    CAPTURE(total);
    CHECK(layer.moved_bytes() < 3 * text_bytes);
    CHECK(layer.memory_bytes() <= text_bytes * 3 / 2 + 2 * kHeads * kDim * 4);
  }
  DynamicLayer at_once({kHeads, kDim, KvFormat::kF32}, 1);
  append(at_once, 0, 1000);
  CHECK(at_once.moved_bytes() == 0);
  CHECK(at_once.reserved_tokens() == 1000);  // a prompt gets what it needs
}

TEST_CASE("bytes: the formula of what is reserved, in every format; crop and reset keep them") {
  for (const KvFormat format : {KvFormat::kF32, KvFormat::kBF16, KvFormat::kF16}) {
    DynamicLayer layer({kHeads, kDim, format}, 2);
    CHECK(layer.memory_bytes() == 0);
    append(layer, 0, 7);
    append(layer, 0, 1);
    append(layer, 1, 3);
    CHECK(layer.reserved_tokens() == 10 + 3);
    CHECK(layer.memory_bytes() == 2 * 13 * kHeads * kDim * kv_value_bytes(format));
    layer.crop(0, 2);
    append(layer, 0, 8);
    CHECK(layer.reserved_tokens() == 13);
    layer.reset();
    CHECK(layer.reserved_tokens() == 13);
    layer.reorder(std::vector<Index>{1});
    CHECK(layer.reserved_tokens() == 3);
  }
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("the allocator has handed out what memory_bytes says") {
  const auto in_use = [] {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<Index>(info.uordblks + info.hblkhd);
  };
  const Index before = in_use();
  DynamicLayer layer({8, 64, KvFormat::kF32}, 1);
  std::vector<float> zeros(static_cast<std::size_t>(3000 * 8 * 64), 1.0f);
  const Index own = in_use();
  const View<const float, 3> view(zeros.data(), {3000, 8, 64});
  const RowTokens all{.row = 0, .begin = 0, .count = 3000};
  layer.update(view, view, {&all, 1});
  const Index bytes = in_use() - own;
  CHECK(layer.memory_bytes() == 2 * 3000 * 8 * 64 * 4);
  CHECK(bytes >= layer.memory_bytes());
  CHECK(bytes < layer.memory_bytes() + 16384);  // two allocations of whole pages
  CHECK(before <= own);
}
#endif

TEST_CASE("a head's tokens are neighbours: attention reads them in one run") {
  DynamicLayer layer({kHeads, kDim, KvFormat::kF32}, 1);
  append(layer, 0, 4);
  append(layer, 0, 3, 100);
  const auto blocks = layer.blocks(0);
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].length == 7);
  CHECK(blocks[0].first_position == 0);
  CHECK(blocks[0].keys.token_stride_bytes == kDim * 4);
  CHECK(kv_value(blocks[0].keys, 1, 4, 2) == 100 + kDim + 2);
  CHECK(kv_value(blocks[0].values, 2, 6, 0) == -100 + 2 * kHeads * kDim + 2 * kDim);
}

TEST_CASE("the last copy of a row is the row itself: only the others are copied") {
  DynamicLayer layer({kHeads, kDim, KvFormat::kF32}, 3);
  for (Index row = 0; row < 3; ++row) append(layer, row, 4 + row, static_cast<float>(row));
  const std::byte* memory[] = {layer.blocks(0)[0].keys.data, layer.blocks(1)[0].keys.data,
                               layer.blocks(2)[0].keys.data};
  layer.reorder(std::vector<Index>{2, 0, 1});
  CHECK(layer.blocks(0)[0].keys.data == memory[2]);
  CHECK(layer.blocks(1)[0].keys.data == memory[0]);
  CHECK(layer.blocks(2)[0].keys.data == memory[1]);
  layer.reorder(std::vector<Index>{0, 0});
  CHECK(layer.blocks(0)[0].keys.data != layer.blocks(1)[0].keys.data);
  CHECK(kv_value(layer.blocks(0)[0].keys, 1, 5, 3) == kv_value(layer.blocks(1)[0].keys, 1, 5, 3));
}

TEST_CASE("one row may be named twice in an update: its tokens follow one another") {
  DynamicLayer layer({kHeads, kDim, KvFormat::kF32}, 2);
  const Tensor<float, 3> keys = tokens(5, 0);
  const std::vector<RowTokens> rows = {{1, 0, 2}, {0, 2, 1}, {1, 3, 2}};
  layer.update(keys, keys, rows);
  CHECK(layer.get_seq_length(0) == 1);
  REQUIRE(layer.get_seq_length(1) == 4);
  CHECK(kv_value(layer.blocks(1)[0].keys, 0, 2, 0) == keys(3, 0, 0));
}

TEST_CASE("what does not fit is refused before anything is stored") {
  DynamicLayer layer({kHeads, kDim, KvFormat::kF32}, 2);
  append(layer, 0, 2);
  const auto refused = [&](auto&& f, ErrorCode code) {
    try {
      f();
    } catch (const Error& error) {
      CHECK(error.code() == code);
      CHECK(layer.get_seq_length(0) == 2);
      return;
    }
    FAIL_CHECK("was not refused");
  };
  const Tensor<float, 3> right = tokens(2, 0);
  const Tensor<float, 3> wrong({2, kHeads, kDim + 1}, 0.0f);
  const std::vector<RowTokens> rows = {{0, 0, 1}, {2, 1, 1}};
  refused([&] { layer.update(right, right, rows); }, ErrorCode::kRange);
  refused([&] { layer.update(wrong, right, {}); }, ErrorCode::kShape);
  refused([&] { layer.update(right, wrong, {}); }, ErrorCode::kShape);
  refused([&] { (void)layer.blocks(2); }, ErrorCode::kRange);
  refused([&] { (void)layer.get_seq_length(-1); }, ErrorCode::kRange);
  refused([&] { layer.crop(0, 3); }, ErrorCode::kRange);
  refused([&] { layer.crop(0, -1); }, ErrorCode::kRange);  // transformers would remove a token
}

TEST_CASE("16-bit formats round to the nearest, NaN and infinity stay what they are") {
  for (const KvFormat format : {KvFormat::kBF16, KvFormat::kF16}) {
    DynamicLayer layer({1, 4, format}, 1);
    const float values[] = {1.0f + 0x1p-11f + 0x1p-20f, INFINITY, NAN, -0.0f};
    const View<const float, 3> view(values, {1, 1, 4});
    const RowTokens one{.row = 0, .begin = 0, .count = 1};
    layer.update(view, view, {&one, 1});
    const KvView keys = layer.blocks(0)[0].keys;
    CHECK(keys.format == format);
    CHECK(kv_value(keys, 0, 0, 0) == (format == KvFormat::kF16 ? 1.0f + 0x1p-10f : 1.0f));
    CHECK(kv_value(keys, 0, 0, 1) == INFINITY);
    CHECK(std::isnan(kv_value(keys, 0, 0, 2)));
    CHECK(std::signbit(kv_value(keys, 0, 0, 3)));
  }
}

TEST_CASE("bytes of a model's cache by formula: 2 L S KH Dh bytes a value") {
  ModelConfig qwen3 = awkward_config("qwen3");
  qwen3.num_hidden_layers = 28;
  qwen3.num_key_value_heads = 8;
  qwen3.head_dim = 128;
  const CacheKinds kinds = dynamic_cache_kinds();
  CHECK(cache_bytes(kinds, qwen3, {.cache_dtype = "bf16"}, 1024) == Index{112} << 20);
  CHECK(cache_bytes(kinds, qwen3, {.cache_dtype = "f32"}, 1024) == Index{224} << 20);
  CHECK(cache_bytes(kinds, qwen3, {}, 0) == 0);
  ModelConfig large = qwen3;  // 70 B at 32k tokens: with 8 key/value heads, and with one a query head
  large.num_hidden_layers = 80;
  CHECK(cache_bytes(kinds, large, {.cache_dtype = "f16"}, 32768) == Index{10} << 30);
  large.num_key_value_heads = 64;
  CHECK(cache_bytes(kinds, large, {.cache_dtype = "f16"}, 32768) == Index{80} << 30);
}

}  // namespace
}  // namespace llm::test
