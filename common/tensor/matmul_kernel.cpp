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

// A tile is kTileWeights rows of weight times kTileRows rows of x: as many sums as fit into the registers.
constexpr bool kManyRegisters = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS >= 32;
constexpr int kTileWeights = kManyRegisters ? 4 : 3;
constexpr int kTileRows = kManyRegisters ? 5 : 4;

// out[c][r] = x[c] . weight[r] for C rows of x and R rows of weight.
template <int R, int C>
void tile(const MatmulPanel& p, Index n, Index m) {
  const float* x = p.x.data + n * p.x.row_stride;
  const float* weight = p.weight.data + m * p.weight.row_stride;
  Vector sums[R][C];
  for (auto& row : sums)
    for (Vector& sum : row) sum = Eigen::internal::pset1<Vector>(0.0f);
  Index k = 0;
  for (; k + kLanes <= p.K; k += kLanes) {
    Vector w[R];
    for (int r = 0; r < R; ++r) w[r] = Eigen::internal::ploadu<Vector>(weight + r * p.weight.row_stride + k);
    for (int c = 0; c < C; ++c) {
      const Vector v = Eigen::internal::ploadu<Vector>(x + c * p.x.row_stride + k);
      for (int r = 0; r < R; ++r) sums[r][c] = pmadd(w[r], v, sums[r][c]);
    }
  }
  for (int c = 0; c < C; ++c) {
    for (int r = 0; r < R; ++r) {
      float sum = predux(sums[r][c]);
      for (Index i = k; i < p.K; ++i) sum += weight[r * p.weight.row_stride + i] * x[c * p.x.row_stride + i];
      p.out[(n + c) * p.out_row_stride + m + r] = sum;
    }
  }
}

// C rows of x at a time, then fewer.
template <int R, int C>
void tiles(const MatmulPanel& p, Index n, Index m) {
  for (; n + C <= p.N; n += C) tile<R, C>(p, n, m);
  if constexpr (C > 1) tiles<R, C - 1>(p, n, m);
}

}  // namespace

void matmul_few_rows(const MatmulPanel& panel) {
  Index m = 0;
  for (; m + kTileWeights <= panel.M; m += kTileWeights) tiles<kTileWeights, kTileRows>(panel, 0, m);
  for (; m < panel.M; ++m) tiles<1, kTileRows>(panel, 0, m);
}

void matmul_many_rows(const MatmulPanel& panel) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stride = Eigen::OuterStride<>;
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
