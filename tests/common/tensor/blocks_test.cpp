#include "common/tensor/blocks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "common/base/error.h"
#include "common/io/safetensors.h"
#include "common/tensor/quantize.h"
#include "common/tensor/weight.h"

namespace llm {
namespace {

// Random blocks and what the gguf Python package makes of them (tests/parity/make_block_goldens.py).
class Goldens {
 public:
  std::span<const std::byte> bytes(const std::string& name) const {
    for (const TensorEntry& tensor : file_.tensors)
      if (tensor.name == name) return file_.file->bytes().subspan(tensor.offset, tensor.bytes);
    throw std::runtime_error("no golden " + name);
  }
  std::vector<float> floats(const std::string& name) const {
    const auto data = bytes(name);
    std::vector<float> values(data.size() / sizeof(float));
    std::memcpy(values.data(), data.data(), data.size());
    return values;
  }

 private:
  SafetensorsFile file_ = read_safetensors(LLM_SOURCE_DIR "/tests/common/tensor/data/blocks.safetensors");
};

// NaN equals NaN; everything else must have the same bits.
bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

const std::vector<DType> kBlockFormats = {DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ5_1,
                                          DType::kQ8_0, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K};

TEST_CASE("every block format gives the floats that the gguf package gives, bit for bit") {
  const Goldens goldens;
  for (const DType dtype : kBlockFormats) {
    CAPTURE(dtype_name(dtype));
    const std::string name = "read." + std::string(dtype_name(dtype));
    const std::vector<float> expected = goldens.floats(name + ".values");
    const std::span<const std::byte> blocks = goldens.bytes(name + ".blocks");
    // As a matrix of rows of one block, and as one row of all of them.
    const Index values = static_cast<Index>(expected.size()), row = info(dtype).block_values;
    for (const Index rows : {values / row, Index{1}}) {
      const Weight weight{.dtype = dtype, .rows = rows, .cols = values / rows, .data = blocks.data()};
      REQUIRE(weight.bytes() == static_cast<Index>(blocks.size()));
      std::vector<float> got(static_cast<std::size_t>(weight.cols));
      Index wrong = 0;
      for (Index r = 0; r < rows; ++r) {
        dequantize_row(weight, r, got);
        for (Index c = 0; c < weight.cols; ++c) wrong += !same(got[c], expected[r * weight.cols + c]);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("quantising gives the bytes that the gguf package gives") {
  const Goldens goldens;
  const std::vector<float> values = goldens.floats("written.values");
  for (const DType dtype : {DType::kQ4_0, DType::kQ8_0, DType::kF16, DType::kBF16}) {
    CAPTURE(dtype_name(dtype));
    const auto expected = goldens.bytes("written." + std::string(dtype_name(dtype)) + ".blocks");
    std::vector<std::byte> got(static_cast<std::size_t>(row_bytes(dtype, static_cast<Index>(values.size()))));
    quantize_row(dtype, values, got.data());
    CHECK(std::ranges::equal(got, expected));
  }
}

TEST_CASE("quantising to F32 copies, and the formats that can be read only are refused") {
  const std::vector<float> values = {1.5f, -0.0f, 3e-39f};
  std::vector<float> out(3);
  quantize_row(DType::kF32, values, reinterpret_cast<std::byte*>(out.data()));
  CHECK(std::memcmp(out.data(), values.data(), sizeof(float) * 3) == 0);
  std::byte bytes[256];
  const std::vector<float> block(256, 1.0f);
  CHECK_THROWS_WITH_AS(quantize_row(DType::kQ6_K, block, bytes),
                       "dtype: weights cannot be converted to Q6_K, expected F32, F16, BF16, Q8_0 or Q4_0",
                       Error);
}

TEST_CASE("a quantised value is never further away than half a step") {
  std::vector<float> values(64);
  for (int i = 0; i < 64; ++i) values[i] = std::sin(static_cast<float>(i * i)) * (i < 32 ? 1.0f : 50.0f);
  for (const DType dtype : {DType::kQ8_0, DType::kQ4_0}) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(row_bytes(dtype, 64)));
    quantize_row(dtype, values, bytes.data());
    std::vector<float> back(64);
    dequantize_row({.dtype = dtype, .rows = 1, .cols = 64, .data = bytes.data()}, 0, back);
    for (int block = 0; block < 2; ++block) {
      const float largest = block == 0 ? 1.0f : 50.0f;
      // Q4_0 has no code for the extreme of the other sign: there the error is a whole step.
      const float bound = dtype == DType::kQ8_0 ? largest / 127 * 0.51f : largest / 8 * 1.01f;
      for (int i = block * 32; i < block * 32 + 32; ++i) CHECK(std::abs(back[i] - values[i]) <= bound);
    }
  }
}

TEST_CASE("a block with a number that is none, or infinite, is NaN; its neighbours are not") {
  for (const DType dtype : {DType::kQ8_0, DType::kQ4_0})
    for (const float special : {NAN, INFINITY, -INFINITY}) {
      std::vector<float> values(64, 0.5f), back(64);
      values[7] = special;
      std::vector<std::byte> bytes(static_cast<std::size_t>(row_bytes(dtype, 64)));
      quantize_row(dtype, values, bytes.data());
      dequantize_row({.dtype = dtype, .rows = 1, .cols = 64, .data = bytes.data()}, 0, back);
      for (std::size_t i = 0; i < 32; ++i) CHECK(std::isnan(back[i]));
      for (std::size_t i = 32; i < 64; ++i) CHECK(back[i] == doctest::Approx(0.5).epsilon(0.01));
    }
}

TEST_CASE("a block worked out by hand") {
  BlockQ5_1 block{.scale = float_to_f16(0.5f), .min = float_to_f16(-3.0f), .high_bits = {}, .codes = {}};
  block.codes[2] = 0x94;      // value 2 has low bits 4, value 18 low bits 9
  block.high_bits[2] = 0x04;  // bit 18: value 18 is 16 larger
  float out[32];
  to_float(block, out);
  CHECK(out[0] == -3.0f);
  CHECK(out[2] == 4 * 0.5f - 3.0f);
  CHECK(out[18] == 25 * 0.5f - 3.0f);

  BlockQ6_K large{.low_codes = {}, .high_codes = {}, .scales = {}, .scale = float_to_f16(0.25f)};
  for (int i = 0; i < 16; ++i) large.scales[i] = static_cast<std::int8_t>(i - 8);
  large.low_codes[64 + 32 + 5] = 0xa0;  // second run, second 32 bytes, upper half: row 4 + 3
  large.high_codes[32 + 5] = 0x80;      // second run, row 3 of it: 2 in bits 6 and 7
  float values[256];
  to_float(large, values);
  CHECK(values[0] == 0.25f * -8 * -32);
  CHECK(values[7 * 32 + 5] == 0.25f * 6 * ((2 << 4 | 10) - 32));
}

TEST_CASE("visit calls with the format's own block type and shape") {
  const std::vector<std::byte> bytes(static_cast<std::size_t>(row_bytes(DType::kQ6_K, 512) * 3));
  for (int d = 0; d < kNumDTypes; ++d) {
    const auto dtype = static_cast<DType>(d);
    const Weight weight{.dtype = dtype, .rows = 3, .cols = 512, .data = bytes.data()};
    const Index block_bytes = visit(weight, [&]<class Block>(View<const Block, 2> blocks) {
      CHECK(blocks.shape(0) == 3);
      CHECK(blocks.shape(1) == 512 / Block::kValues);
      CHECK(Block::kValues == info(dtype).block_values);
      CHECK(static_cast<const void*>(blocks.data()) == bytes.data());
      return static_cast<Index>(sizeof(Block));
    });
    CHECK(block_bytes == info(dtype).block_bytes);
  }
}

TEST_CASE("number formats have names that read back, in either case") {
  for (int d = 0; d < kNumDTypes; ++d) {
    const auto dtype = static_cast<DType>(d);
    CHECK(info(dtype).dtype == dtype);
    CHECK(dtype_from_name(dtype_name(dtype)) == dtype);
  }
  CHECK(dtype_from_name("q4_k") == DType::kQ4_K);
  CHECK(dtype_from_name("bf16") == DType::kBF16);
  CHECK_FALSE(dtype_from_name("Q4").has_value());
  CHECK_FALSE(dtype_from_name("").has_value());
  CHECK_FALSE(dtype_from_name("F32 ").has_value());
}

}  // namespace
}  // namespace llm
