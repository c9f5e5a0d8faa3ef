// product(): every format on every instruction set that this machine has.
#include <doctest/doctest.h>

#include "common/base/error.h"
#include "tests/05_fused_cpu/kernel_cases.h"

namespace llm::test {
namespace {

constexpr Index kMostX = 30;

// The widths of a format: all from 1 to 67, or a few numbers of blocks.
std::vector<Index> widths(DType dtype) {
  const Index block = info(dtype).block_values;
  if (block == 32) return {32, 64, 96, 224};
  if (block == 256) return {256, 512};
  std::vector<Index> all;
  for (Index K = 1; K <= 67; ++K) all.push_back(K);
  return all;
}

// Products of one matrix with up to kMostX rows of x, packed or plain. Everything that a kernel reads ends
// where memory ends, and what it may write lies between NaN.
class Products {
 public:
  Products(const Kernels& kernels, const RandomWeight& weight)
      : kernels_(kernels),
        weight_(weight),
        K_(weight.weight().cols),
        x_(kMostX * (K_ + 3) - 3),
        packed_(packed_size(kernels, kMostX, K_)),
        scratch_(panel_scratch(K_)),
        out_(kMostX * (kPanelRows + 5)) {
    for (Index n = 0; n < kMostX; ++n)
      for (Index k = 0; k < K_; ++k) x_[n * (K_ + 3) + k] = number(7, n * K_ + k);
  }

  // out [N, M] of the last N rows of x with the last M rows of weights; false if something else was written.
  bool run(Index N, Index M, bool packed, std::vector<float>& result) {
    out_.poison();
    scratch_.poison();
    const float* x = x_row(kMostX - N);
    ProductPanel panel = {.x = {.data = x, .row_stride = K_ + 3},
                          .N = N,
                          .weight = weight_.last_rows(M),
                          .out_stride = M + 5,
                          .scratch = scratch_.data()};
    if (packed) {
      packed_.poison();
      float* to = packed_.end() - packed_size(kernels_, N, K_);
      const View<const float, 2> rows = {x, {N, K_}, {K_ + 3, 1}};
      for (Index tile = 0; tile * kernels_.tile_rows < N; ++tile) pack_rows(kernels_, rows, tile, to);
      panel.x = {.data = to, .packed = true};
    }
    panel.out = out_.end() - (N - 1) * panel.out_stride - M;
    kernels_.product(panel);
    return copy(panel.out, N, M, result);
  }

  const float* x_row(Index n) const { return x_.data() + n * (K_ + 3); }

 private:
  bool copy(const float* out, Index N, Index M, std::vector<float>& result) const {
    result.clear();
    bool clean = true;
    for (const float* p = out_.data(); p < out; ++p) clean = clean && std::isnan(*p);
    for (Index n = 0; n < N; ++n)
      for (Index m = 0; m < M + (n + 1 < N ? 5 : 0); ++m) {
        const float value = out[n * (M + 5) + m];
        if (m < M)
          result.push_back(value);
        else
          clean = clean && std::isnan(value);
      }
    return clean;
  }

  const Kernels& kernels_;
  const RandomWeight& weight_;
  Index K_;
  Guarded<float> x_, packed_, scratch_, out_;
};

// Each element of all kMostX x kPanelRows products against the oracle.
void check_whole(const Products& products, const RandomWeight& weight, const std::vector<float>& got) {
  const Index K = weight.weight().cols;
  const std::vector<float> values = weight.values();
  Index wrong = 0;
  for (Index n = 0; n < kMostX; ++n)
    for (Index m = 0; m < kPanelRows; ++m) {
      Exact exact;
      for (Index k = 0; k < K; ++k)
        exact.add(products.x_row(n)[k], values[static_cast<std::size_t>(m * K + k)]);
      wrong += !exact.near(got[static_cast<std::size_t>(n * kPanelRows + m)], K);
    }
  CHECK(wrong == 0);
}

// Fewer rows of either kind: the same bits as in the whole.
Index wrong_parts(Products& products, Index N, Index M, const std::vector<float>& whole) {
  Index wrong = 0;
  std::vector<float> got;
  for (const bool packed : {false, true}) {
    wrong += !products.run(N, M, packed, got);
    for (Index n = 0; n < N; ++n)
      for (Index m = 0; m < M; ++m)
        wrong += !(got[static_cast<std::size_t>(n * M + m)] ==
                   whole[static_cast<std::size_t>((kMostX - N + n) * kPanelRows + kPanelRows - M + m)]);
  }
  return wrong;
}

TEST_CASE("products: near the exact ones, the same bits whatever their neighbours and packing are") {
  for (const Isa isa : available_isas())
    for (const DType dtype : kAllFormats) {
      CAPTURE(case_name(dtype, isa));
      const Kernels& kernels = kernels_for(isa);
      for (const Index K : widths(dtype)) {
        CAPTURE(K);
        const RandomWeight weight(dtype, kPanelRows, K);
        Products products(kernels, weight);
        std::vector<float> whole;
        CHECK(products.run(kMostX, kPanelRows, false, whole));
        check_whole(products, weight, whole);
        Index wrong = 0;
        for (Index M = 1; M <= kPanelRows; ++M) wrong += wrong_parts(products, 1, M, whole);
        for (Index N = 1; N <= kMostX; ++N) {
          wrong += wrong_parts(products, N, kPanelRows, whole);
          wrong += wrong_parts(products, N, 1 + (K + 5 * N) % kPanelRows, whole);
        }
        CHECK(wrong == 0);
      }
    }
}

TEST_CASE("products: every number of rows of either kind") {
  for (const Isa isa : available_isas())
    for (const DType dtype : {DType::kF32, DType::kBF16, DType::kQ8_0}) {
      CAPTURE(case_name(dtype, isa));
      const RandomWeight weight(dtype, kPanelRows, dtype == DType::kQ8_0 ? 64 : 35);
      Products products(kernels_for(isa), weight);
      std::vector<float> whole;
      products.run(kMostX, kPanelRows, false, whole);
      Index wrong = 0;
      for (Index N = 1; N <= kMostX; ++N)
        for (Index M = 1; M <= kPanelRows; ++M) wrong += wrong_parts(products, N, M, whole);
      CHECK(wrong == 0);
    }
}

// Plain floats of every exponent, subnormal ones too, in a random weight's place.
void make_wild(const RandomWeight& weight) {
  const Weight& w = weight.weight();
  auto* bytes = const_cast<std::byte*>(w.data);
  for (Index i = 0; i < w.rows * w.cols; ++i) {
    const float magnitude = std::ldexp(1 + std::abs(number(3, i)), static_cast<int>(number(4, i) * 140));
    const float value = number(5, i) < 0 ? -magnitude : magnitude;
    if (!(std::abs(value) < 3e38f)) continue;
    if (w.dtype == DType::kF32) std::memcpy(bytes + 4 * i, &value, 4);
    const float half = std::ldexp(1 + std::abs(number(3, i)), static_cast<int>(number(4, i) * 20) - 8);
    const std::uint16_t bits = w.dtype == DType::kBF16 ? float_to_bf16(value) : float_to_f16(half);
    if (w.dtype == DType::kBF16 || w.dtype == DType::kF16) std::memcpy(bytes + 2 * i, &bits, 2);
  }
}

TEST_CASE("a one in a row of zeros reads a weight back, to the bit") {
  for (const Isa isa : available_isas())
    for (const DType dtype : kAllFormats) {
      CAPTURE(case_name(dtype, isa));
      const Kernels& kernels = kernels_for(isa);
      const Index K = info(dtype).block_values == 1 ? 67 : 2 * info(dtype).block_values, M = 9;
      const RandomWeight weight(dtype, M, K, 21);
      make_wild(weight);
      const std::vector<float> expected = weight.values();
      const Guarded<float> x(K * K), out(K * M), packed(packed_size(kernels, K, K)),
          scratch(panel_scratch(K));
      for (Index i = 0; i < K * K; ++i) x[i] = i % (K + 1) == 0 ? 1.0f : 0.0f;
      for (Index tile = 0; tile * kernels.tile_rows < K; ++tile)
        pack_rows(kernels, {x.data(), {K, K}}, tile, packed.data());
      for (const bool is_packed : {false, true}) {
        out.poison();
        kernels.product(
            {.x = {.data = is_packed ? packed.data() : x.data(), .row_stride = K, .packed = is_packed},
             .N = K,
             .weight = weight.weight(),
             .out = out.data(),
             .out_stride = M,
             .scratch = scratch.data()});
        Index wrong = 0;
        for (Index k = 0; k < K; ++k)
          for (Index m = 0; m < M; ++m)
            wrong += !(out[k * M + m] == expected[static_cast<std::size_t>(m * K + k)]);
        CHECK(wrong == 0);
      }
    }
}

TEST_CASE("a NaN or an infinity in x comes out, in its own row only") {
  for (const Isa isa : available_isas())
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kQ4_0}) {
      CAPTURE(case_name(dtype, isa));
      const Index K = 64, M = 5, N = 7;
      const RandomWeight weight(dtype, M, K);
      const Guarded<float> x(N * K), out(N * M), scratch(panel_scratch(K));
      fill(x.all(), 3);
      x[2 * K + 63] = NAN;
      kernels_for(isa).product({.x = {.data = x.data(), .row_stride = K},
                                .N = N,
                                .weight = weight.weight(),
                                .out = out.data(),
                                .out_stride = M,
                                .scratch = scratch.data()});
      for (Index i = 0; i < N * M; ++i) CHECK(std::isnan(out[i]) == (i / M == 2));
    }
}

TEST_CASE("an instruction set that this machine lacks is an error") {
  const std::vector<Isa> available = available_isas();
  for (const Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Bf16, Isa::kNeon}) {
    if (std::ranges::count(available, isa) > 0)
      CHECK(kernels_for(isa).isa == isa);
    else
      CHECK_THROWS_WITH_AS(kernels_for(isa), doctest::Contains("this machine does not have"), Error);
  }
  CHECK(&kernels_for() == &kernels_for(active_isa()));
}

}  // namespace
}  // namespace llm::test
