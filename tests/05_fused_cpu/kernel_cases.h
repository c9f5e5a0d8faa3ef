// What the tests of the kernels share: numbers, weights in every format, and an oracle in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "chapters/05_fused_cpu/kernels.h"
#include "common/base/rng.h"
#include "common/tensor/quantize.h"
#include "tests/05_fused_cpu/guarded.h"

namespace llm::test {

inline const std::vector<DType> kAllFormats = {DType::kF32,  DType::kF16,  DType::kBF16, DType::kQ4_0,
                                               DType::kQ4_1, DType::kQ5_0, DType::kQ5_1, DType::kQ8_0,
                                               DType::kQ4_K, DType::kQ5_K, DType::kQ6_K};

// The i-th number of a stream, uniform in [-1, 1).
inline float number(std::uint32_t stream, Index i) {
  const RngKey key{.seed = 11, .sequence = stream, .purpose = RngPurpose::kTest};
  return static_cast<float>(2 * uniform(key, static_cast<std::uint32_t>(i)) - 1);
}

inline void fill(std::span<float> values, std::uint32_t stream, float scale = 1) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scale * number(stream, static_cast<Index>(i));
}

// A matrix of random codes. Its scales are near 0.1, of either sign where the format has them so.
class RandomWeight {
 public:
  RandomWeight(DType dtype, Index rows, Index cols, std::uint32_t stream = 1)
      : bytes_(rows * row_bytes(dtype, cols)),
        weight_{.dtype = dtype, .rows = rows, .cols = cols, .data = bytes_.data()} {
    for (Index i = 0; i < bytes_.size(); ++i)
      bytes_[i] = static_cast<std::byte>(static_cast<int>((number(stream, i) + 1) * 128));
    visit(weight_, [&]<class Block>(const View<const Block, 2>& blocks) {
      Block* block = const_cast<Block*>(blocks.data());
      for (Index b = 0; b < blocks.size(); ++b) set_scales(block[b], number(stream + 1, b));
    });
  }

  const Weight& weight() const { return weight_; }
  // The last `count` rows: nothing may be read behind them.
  Weight last_rows(Index count) const {
    Weight part = weight_;
    part.data = weight_.row(weight_.rows - count);
    part.rows = count;
    return part;
  }
  // All values, as chapter 02 unpacks them: [rows, cols].
  std::vector<float> values() const {
    std::vector<float> values(static_cast<std::size_t>(weight_.rows * weight_.cols));
    const auto cols = static_cast<std::size_t>(weight_.cols);
    for (Index r = 0; r < weight_.rows; ++r)
      dequantize_row(weight_, r, std::span(values).subspan(static_cast<std::size_t>(r) * cols, cols));
    return values;
  }

 private:
  template <class Block>
  static void set_scales(Block& block, float value) {
    if constexpr (requires { block.value; }) {
      block.value = value;
    } else if constexpr (requires { block.bits; }) {
      block.bits = std::is_same_v<Block, BlockBF16> ? float_to_bf16(value) : float_to_f16(value);
    } else {
      block.scale = float_to_f16(0.1f * value + (value < 0 ? -0.01f : 0.01f));
      if constexpr (requires { block.min; }) block.min = float_to_f16(0.3f * value - 0.1f);
    }
  }

  Guarded<std::byte> bytes_;
  Weight weight_;
};

// A dot product in double precision, and what rounding every operation may add up to: K terms, none of which
// is rounded more than K + 4 times.
struct Exact {
  double value = 0;
  double bound = 0;

  void add(double a, double b) {
    value += a * b;
    bound += std::abs(a * b);
  }
  bool near(float got, Index terms) const {
    return std::abs(static_cast<double>(got) - value) <= static_cast<double>(terms + 4) * 0x1p-24 * bound;
  }
};

// "F32 on avx2": for messages.
inline std::string case_name(DType dtype, Isa isa) {
  return std::string(dtype_name(dtype)) + " on " + std::string(isa_name(isa));
}

}  // namespace llm::test
