// Compiled once per instruction set (llm_isa_source in common/cmake/targets.cmake). Eigen's namespace gets
// the set's name, so that the linker cannot mix the versions.
#include "common/tensor/matmul_kernel.h"

#define LLM_JOIN_NAMES(a, b) a##b
#define LLM_JOIN(a, b) LLM_JOIN_NAMES(a, b)
#define Eigen LLM_JOIN(Eigen_, LLM_ISA)
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

namespace llm::LLM_ISA {
namespace {

using Eigen::internal::pmadd;
using Eigen::internal::predux;
using Vector = Eigen::internal::packet_traits<float>::type;  // the widest: 4, 8 or 16 floats
constexpr Index kLanes = Eigen::internal::packet_traits<float>::size;

// A tile is kTileWeights rows of weight times kTileRows rows of x: its sums, one vector of each weight row
// and one of x just fit into the registers. One sum in memory would halve the speed.
constexpr bool kManyRegisters = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS >= 32;
constexpr int kTileWeights = kManyRegisters ? 4 : 3;
constexpr int kTileRows = kManyRegisters ? 6 : 4;
constexpr int kSecondCache = 2;     // for __builtin_prefetch
constexpr int kLoneRowWeights = 8;  // for a single row of x: more rows of weight on their way from memory

// Loops over sums are unrolled, or else the compiler keeps the sums in memory instead of registers.
// out[c][r] = x[c] . weight[r] for C rows of x from n on and R rows of weight from m on. Meanwhile the rows
// `next` of weight are on their way from memory, if they are given; to the second cache, for in the first
// they would displace the rows in use.
template <int R, int C>
void tile(const MatmulPanel& p, Index n, Index m, const float* next) {
  const float* x = p.x.data + n * p.x.row_stride;
  const float* weight = p.weight.data + m * p.weight.row_stride;
  Vector sums[R][C];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) sums[r][c] = Eigen::internal::pset1<Vector>(0.0f);
  Index k = 0;
  for (; k + kLanes <= p.K; k += kLanes) {
    Vector w[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) w[r] = Eigen::internal::ploadu<Vector>(weight + r * p.weight.row_stride + k);
    if (next != nullptr) {
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) __builtin_prefetch(next + r * p.weight.row_stride + k, 0, kSecondCache);
    }
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
      const Vector v = Eigen::internal::ploadu<Vector>(x + c * p.x.row_stride + k);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) sums[r][c] = pmadd(w[r], v, sums[r][c]);
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) p.out[(n + c) * p.out_row_stride + m + r] = predux(sums[r][c]);
  }
  if (k == p.K) return;
  for (int c = 0; c < C; ++c) {
    for (int r = 0; r < R; ++r) {
      float& sum = p.out[(n + c) * p.out_row_stride + m + r];
      for (Index i = k; i < p.K; ++i) sum += weight[r * p.weight.row_stride + i] * x[c * p.x.row_stride + i];
    }
  }
}

// tile<R, count> for a count of 1 to C.
template <int R, int C>
void tile_of(Index count, const MatmulPanel& p, Index n, Index m, const float* next) {
  if (count == C) return tile<R, C>(p, n, m, next);
  if constexpr (C > 1) tile_of<R, C - 1>(count, p, n, m, next);
}

// The R rows of weight after those from m on, if they are there: to be on their way from memory meanwhile.
template <int R>
const float* next_rows(const MatmulPanel& p, Index m) {
  return m + 2 * R <= p.M ? p.weight.data + (m + R) * p.weight.row_stride : nullptr;
}

// All rows of x with R rows of weight, in equal tiles; the first one fetches the next rows of weight.
template <int R>
void all_tiles(const MatmulPanel& p, Index m) {
  const float* next = next_rows<R>(p, m);
  const Index num_tiles = (p.N + kTileRows - 1) / kTileRows;
  for (Index t = 0; t < num_tiles; ++t) {
    const Index begin = p.N * t / num_tiles, end = p.N * (t + 1) / num_tiles;
    tile_of<R, kTileRows>(end - begin, p, begin, m, t == 0 ? next : nullptr);
  }
}

}  // namespace

void matmul_few_rows(const MatmulPanel& panel) {
  Index m = 0;
  if (panel.N == 1)
    for (; m + kLoneRowWeights <= panel.M; m += kLoneRowWeights)
      tile<kLoneRowWeights, 1>(panel, 0, m, next_rows<kLoneRowWeights>(panel, m));
  for (; m + kTileWeights <= panel.M; m += kTileWeights) all_tiles<kTileWeights>(panel, m);
  for (; m < panel.M; ++m) all_tiles<1>(panel, m);
}

void matmul_many_rows(const MatmulPanel& panel) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stride = Eigen::OuterStride<>;
  // Eigen cuts the sums by the sizes of the caches; fixed ones give the same bits on every machine.
  static const bool kSizesAreFixed = (Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 4 << 20), true);
  (void)kSizesAreFixed;
  const auto [x, weight, out, out_row_stride, N, M, K] = panel;
  Eigen::Map<Matrix, 0, Stride> product(out, N, M, Stride(out_row_stride));
  const Eigen::Map<const Matrix, 0, Stride> rows(x.data, N, K, Stride(x.row_stride));
  if (weight.column_stride == 1) {
    const Eigen::Map<const Matrix, 0, Stride> by_rows(weight.data, M, K, Stride(weight.row_stride));
    product.noalias() = rows * by_rows.transpose();
  } else {
    const Eigen::Map<const Matrix, 0, Stride> by_columns(weight.data, K, M, Stride(weight.column_stride));
    product.noalias() = rows * by_columns;
  }
}

}  // namespace llm::LLM_ISA
