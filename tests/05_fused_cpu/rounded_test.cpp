// Products with rounded x: whole numbers for blocks of codes, bfloat16 for BF16 weights.
#include <doctest/doctest.h>

#include <functional>

#include "tests/05_fused_cpu/kernel_cases.h"

namespace llm::test {
namespace {

constexpr Index kMostX = 30;

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all;
  for (const Isa isa : available_isas()) all.push_back(&kernels_for(isa));
  return all;
}

void check_block(const float* x, const CodeBlock& block) {
  float largest = 0;
  for (int i = 0; i < 32; ++i) largest = std::max(largest, std::abs(x[i]));
  CHECK(block.scale == doctest::Approx(largest / 127).epsilon(1e-6));
  int sums[2] = {};
  bool near = true;
  for (int i = 0; i < 32; ++i) {
    const double got = static_cast<double>(block.scale) * block.codes[i];
    near = near && std::abs(got - static_cast<double>(x[i])) <= 0.50002 * static_cast<double>(block.scale);
    sums[i / 16] += block.codes[i];
  }
  CHECK(near);
  CHECK(block.minus_sums[0] == -sums[0]);
  CHECK(block.minus_sums[1] == -sums[1]);
  CHECK(block.minus_sum == -sums[0] - sums[1]);
  CHECK(block.scaled_sum == doctest::Approx(block.scale * static_cast<float>(sums[0] + sums[1])));
}

TEST_CASE("codes: wrong by half a scale at most, whatever the numbers are") {
  for (const Kernels* kernels : all_kernels()) {
    CAPTURE(isa_name(kernels->isa));
    constexpr Index kBlocks = 9;
    const Guarded<float> x(kBlocks * 32);
    const Guarded<CodeBlock> codes(kBlocks);
    fill(x.all(), 3);
    std::fill_n(x.data(), 32, 0.0f);                                       // block 0: nothing
    x[32 + 7] = -1e6f;                                                     // block 1: one outlier
    std::fill_n(x.data() + 64, 32, -3.25f);                                // block 2: all equal
    for (Index i = 96; i < 128; ++i) x[i] *= 1e-20f;                       // block 3: small
    for (Index i = 128; i < 160; ++i) x[i] *= 1e30f;                       // block 4: large
    for (Index i = 160; i < 192; ++i) x[i] = static_cast<float>(i - 176);  // block 5: whole numbers, halves
    for (Index i = 192; i < 224; ++i) x[i] = i == 200 ? 127 : 0.5f + static_cast<float>(i - 208);
    kernels->quantize_x(x.data(), x.size(), codes.data());
    for (Index b = 0; b < kBlocks; ++b) check_block(x.data() + b * 32, codes[b]);
    CHECK(codes[0].scale == 0);
    CHECK(codes[1].codes[7] == -127);
  }
}

TEST_CASE("codes: numbers that are next to nothing are nothing; NaN is not lost") {
  for (const Kernels* kernels : all_kernels()) {
    CAPTURE(isa_name(kernels->isa));
    const Guarded<float> x(32);
    CodeBlock block;
    for (const float size : {1e-36f, 1e-37f, 1e-38f, 1e-41f, 1e-45f}) {
      CAPTURE(size);
      fill(x.all(), 3, size);
      kernels->quantize_x(x.data(), 32, &block);
      for (int i = 0; i < 32; ++i)
        CHECK(std::abs(block.scale * static_cast<float>(block.codes[i]) - x[i]) <= 1e-36f);
    }
    for (const float special : {NAN, INFINITY, -INFINITY}) {
      CAPTURE(special);
      fill(x.all(), 3);
      x[9] = special;
      kernels->quantize_x(x.data(), 32, &block);
      CHECK_FALSE(std::isfinite(block.scale));
    }
  }
}

// What 32 values of a weight's row are: value i = scales[i / 16] * codes[i] + min.
struct GroupParts {
  double scales[2] = {}, min = 0;
  int codes[32] = {};
};

GroupParts parts_of(const Weight& weight, Index row, Index g) {
  GroupParts parts;
  const Index block_groups = info(weight.dtype).block_values / 32, in_block = g % block_groups;
  const std::byte* data = weight.row(row) + g / block_groups * info(weight.dtype).block_bytes;
  const auto scale = [](Half half) { return static_cast<double>(f16_to_float(half)); };
  const auto halves = [&](const std::uint8_t* bytes, int less) {
    for (int i = 0; i < 16; ++i) {
      parts.codes[i] = (bytes[i] & 15) - less;
      parts.codes[i + 16] = (bytes[i] >> 4) - less;
    }
  };
  const auto same_scale = [&](double value) { parts.scales[0] = parts.scales[1] = value; };
  if (weight.dtype == DType::kQ8_0) {
    const auto* block = reinterpret_cast<const BlockQ8_0*>(data);
    std::copy_n(block->codes, 32, parts.codes);
    same_scale(scale(block->scale));
  } else if (weight.dtype == DType::kQ4_0) {
    const auto* block = reinterpret_cast<const BlockQ4_0*>(data);
    halves(block->codes, 8);
    same_scale(scale(block->scale));
  } else if (weight.dtype == DType::kQ4_1) {
    const auto* block = reinterpret_cast<const BlockQ4_1*>(data);
    halves(block->codes, 0);
    same_scale(scale(block->scale));
    parts.min = scale(block->min);
  } else {
    // The K formats' codes are those that a block has whose other numbers are simple.
    std::vector<std::byte> simple(data, data + info(weight.dtype).block_bytes);
    float codes[256];
    if (weight.dtype == DType::kQ4_K) {
      auto* block = reinterpret_cast<BlockQ4_K*>(simple.data());
      block->scale = float_to_f16(1);
      block->min = 0;
      const std::uint8_t ones[12] = {1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1};
      std::copy_n(ones, 12, block->scales);
      to_float(*block, codes);
      const auto* real = reinterpret_cast<const BlockQ4_K*>(data);
      const std::uint8_t* s = real->scales;
      const Index j = in_block;
      const int sc = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
      const int m = j < 4 ? s[j + 4] & 63 : s[j + 4] >> 4 | (s[j] >> 6) << 4;
      same_scale(scale(real->scale) * sc);
      parts.min = -scale(real->min) * m;
    } else {
      auto* block = reinterpret_cast<BlockQ6_K*>(simple.data());
      for (int half = 0; half < 2; ++half)
        parts.scales[half] = scale(block->scale) * block->scales[2 * in_block + half];
      block->scale = float_to_f16(1);
      std::fill_n(block->scales, 16, std::int8_t{1});
      to_float(*block, codes);
    }
    for (int i = 0; i < 32; ++i) parts.codes[i] = static_cast<int>(codes[in_block * 32 + i]);
  }
  return parts;
}

// The exact product of row m of the weights with codes, group by group in whole numbers.
Exact exact_codes(const Weight& weight, Index m, const CodeBlock* x) {
  Exact exact;
  for (Index g = 0; g < weight.cols / 32; ++g) {
    const GroupParts w = parts_of(weight, m, g);
    const double scale = static_cast<double>(x[g].scale);
    int dots[2] = {}, sum = 0;
    for (int i = 0; i < 32; ++i) {
      dots[i / 16] += w.codes[i] * x[g].codes[i];
      sum += x[g].codes[i];
    }
    exact.add(w.scales[0] * scale, dots[0]);
    exact.add(w.scales[1] * scale, dots[1]);
    exact.add(w.min * scale, sum);
  }
  return exact;
}

// run(N, M) -> out [N, M] of the last N and M rows, with nothing else written. Compares every part with the
// whole: the same bits.
void check_parts(const std::function<std::vector<float>(Index, Index)>& run,
                 const std::vector<float>& whole) {
  Index wrong = 0;
  for (Index N = 1; N <= kMostX; ++N)
    for (const Index M : {1 + 5 * N % kPanelRows, N % kPanelRows + 1, kPanelRows}) {
      const std::vector<float> got = run(N, M);
      for (Index n = 0; n < N; ++n)
        for (Index m = 0; m < M; ++m)
          wrong += !(got[static_cast<std::size_t>(n * M + m)] ==
                     whole[static_cast<std::size_t>((kMostX - N + n) * kPanelRows + kPanelRows - M + m)]);
    }
  for (Index M = 1; M <= kPanelRows; ++M) {
    const std::vector<float> got = run(1, M);
    for (Index m = 0; m < M; ++m)
      wrong += !(got[static_cast<std::size_t>(m)] ==
                 whole[static_cast<std::size_t>((kMostX - 1) * kPanelRows + kPanelRows - M + m)]);
  }
  CHECK(wrong == 0);
}

// The outputs of a panel, taken out of memory that was NaN.
std::vector<float> outputs(const std::function<void(const ProductPanel&)>& kernel, ProductPanel panel) {
  const Index N = panel.N, M = panel.weight.rows, stride = M + 3;
  const Guarded<float> out((N - 1) * stride + M);
  panel.out = out.data();
  panel.out_stride = stride;
  const Guarded<float> scratch(panel_scratch(panel.weight.cols));
  panel.scratch = scratch.data();
  kernel(panel);
  std::vector<float> result;
  bool clean = true;
  for (Index i = 0; i < out.size(); ++i) {
    if (i % stride < M)
      result.push_back(out[i]);
    else
      clean = clean && std::isnan(out[i]);
  }
  CHECK(clean);
  return result;
}

TEST_CASE("products of codes: the whole numbers' own sums") {
  for (const Kernels* kernels : all_kernels())
    for (const DType dtype : {DType::kQ8_0, DType::kQ4_0, DType::kQ4_1, DType::kQ4_K, DType::kQ6_K})
      for (const Index blocks_a_row : {1, 2, 3, 7}) {
        const Index K = blocks_a_row * info(dtype).block_values;
        CAPTURE(case_name(dtype, kernels->isa));
        CAPTURE(K);
        const Index blocks = K / 32;
        const RandomWeight weight(dtype, kPanelRows, K, 5);
        if (dtype == DType::kQ8_0)  // -128 is a code that files may have
          std::memset(const_cast<std::byte*>(weight.weight().row(3)) + 2, 0x80, 32);
        const Guarded<float> x(kMostX * K);
        const Guarded<CodeBlock> codes(kMostX * blocks);
        fill(x.all(), 9, 3);
        std::fill_n(x.data() + 2 * K, 32, -2.0f);  // codes of -127 only
        std::fill_n(x.data() + 5 * K, K, 0.0f);
        for (Index n = 0; n < kMostX; ++n)
          kernels->quantize_x(x.data() + n * K, K, codes.data() + n * blocks);
        const auto run = [&](Index N, Index M) {
          return outputs(kernels->product_codes,
                         {.x = {.codes = codes.end() - N * blocks}, .N = N, .weight = weight.last_rows(M)});
        };
        const std::vector<float> whole = run(kMostX, kPanelRows);
        Index wrong = 0;
        for (Index n = 0; n < kMostX; ++n)
          for (Index m = 0; m < kPanelRows; ++m)
            wrong += !exact_codes(weight.weight(), m, codes.data() + n * blocks)
                          .near(whole[static_cast<std::size_t>(n * kPanelRows + m)], 2 * blocks);
        CHECK(wrong == 0);
        check_parts(run, whole);
      }
}

TEST_CASE("products in bfloat16: those of the rounded numbers") {
  for (const Isa isa : available_isas()) {
    const Kernels& kernels = kernels_for(isa);
    if (!kernels.product_bf16) continue;
    CAPTURE(isa_name(isa));
    for (Index K = 1; K <= 67; ++K) {
      CAPTURE(K);
      const Index size = padded_size(K);
      const RandomWeight weight(DType::kBF16, kPanelRows, K);
      const std::vector<float> values = weight.values();
      const Guarded<std::uint16_t> x(kMostX * size);
      for (Index n = 0; n < kMostX; ++n)
        for (Index k = 0; k < size; ++k)
          x[n * size + k] = k < K ? float_to_bf16(number(6, n * K + k)) : std::uint16_t{0};
      const auto run = [&](Index N, Index M) {
        return outputs(kernels.product_bf16,
                       {.x = {.bf16 = x.end() - N * size}, .N = N, .weight = weight.last_rows(M)});
      };
      const std::vector<float> whole = run(kMostX, kPanelRows);
      Index wrong = 0;
      for (Index n = 0; n < kMostX; ++n)
        for (Index m = 0; m < kPanelRows; ++m) {
          Exact exact;
          for (Index k = 0; k < K; ++k)
            exact.add(bf16_to_float(x[n * size + k]), values[static_cast<std::size_t>(m * K + k)]);
          wrong += !exact.near(whole[static_cast<std::size_t>(n * kPanelRows + m)], K);
        }
      CHECK(wrong == 0);
      check_parts(run, whole);
    }
  }
}

}  // namespace
}  // namespace llm::test
