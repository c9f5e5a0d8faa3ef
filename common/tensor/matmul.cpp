#include "common/tensor/matmul.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/checked.h"
#include "common/base/error.h"
#include "common/base/parallel.h"
#include "common/tensor/matmul_kernel.h"

namespace llm {
namespace {

// The outputs are cut into pieces of this many columns, however many threads there are: that keeps the bits.
// Eigen packs x once a piece, so its pieces are wide.
constexpr Index kFewRowsColumns = 64;
constexpr Index kManyRowsColumns = 256;

// A product of fewer multiplications is done before a second thread wakes up.
constexpr Index kTooSmallToShare = 1 << 16;

struct Kernels {
  Isa isa;  // this one or better
  MatmulKernel few_rows;
  MatmulKernel many_rows;
};

constexpr Kernels kKernels[] = {
#if defined(__x86_64__)
    {Isa::kAvx512, avx512::matmul_few_rows, avx512::matmul_many_rows},
    {Isa::kAvx2, avx2::matmul_few_rows, avx2::matmul_many_rows},
#endif
    {Isa::kBaseline, baseline::matmul_few_rows, baseline::matmul_many_rows},
};

const Kernels& kernels_for(Isa isa) {
  static const std::vector<Isa> available = available_isas();
  if (std::find(available.begin(), available.end(), isa) == available.end()) {
    fail(ErrorCode::kUnsupported, {.where = "matmul",
                                   .what = "this machine does not have",
                                   .got = std::string(isa_name(isa)),
                                   .remedy = "use active_isa()"});
  }
  return *std::find_if(std::begin(kKernels), std::end(kKernels),
                       [&](const Kernels& kernels) { return kernels.isa <= isa; });
}

template <class T>
std::string shape_text(View<T, 2> view) {
  return "[" + std::to_string(view.shape(0)) + "," + std::to_string(view.shape(1)) + "]";
}

// A column's neighbour is the next element, or there is none.
template <class T>
bool rows_are_dense(View<T, 2> view) {
  return view.stride(1) == 1 || view.shape(1) <= 1;
}

void check(View<const float, 2> x, View<const float, 2> weight, View<float, 2> out) {
  const Index N = x.shape(0), K = x.shape(1), M = weight.shape(0);
  if (weight.shape(1) != K || out.shape(0) != N || out.shape(1) != M) {
    fail(ErrorCode::kShape, {.where = "matmul",
                             .what = "shapes of x, weight, out",
                             .got = shape_text(x) + ", " + shape_text(weight) + ", " + shape_text(out),
                             .expected = "[N,K], [M,K], [N,M]"});
  }
  if (!rows_are_dense(x) || !rows_are_dense(out) || !(rows_are_dense(weight) || weight.stride(0) == 1)) {
    fail(ErrorCode::kShape, {.where = "matmul",
                             .what = "strides: elements of a row are not neighbours",
                             .expected = "stride 1 in x and out, and along one axis of weight"});
  }
}

}  // namespace

void matmul(View<const float, 2> x, View<const float, 2> weight, View<float, 2> out, Isa isa) {
  check(x, weight, out);
  const Index N = x.shape(0), K = x.shape(1), M = weight.shape(0);
  const Kernels& kernels = kernels_for(isa);
  const bool by_rows = rows_are_dense(weight);
  const bool few_rows = by_rows && N <= kMaxExactRows;
  const MatmulKernel kernel = few_rows ? kernels.few_rows : kernels.many_rows;
  const Index columns = few_rows ? kFewRowsColumns : kManyRowsColumns;
  const auto multiply = [&](Index panel) {
    const Index m = panel * columns;
    kernel(
        {.x = {x.data(), x.stride(0), 1},
         .weight = {weight.data() + m * weight.stride(0), weight.stride(0), by_rows ? 1 : weight.stride(1)},
         .out = out.data() + m,
         .out_row_stride = out.stride(0),
         .N = N,
         .M = std::min(columns, M - m),
         .K = K});
  };
  const Index panels = ceil_div(M, columns);
  if (N * M * K >= kTooSmallToShare) return parallel_for(panels, multiply);
  for (Index panel = 0; panel < panels; ++panel) multiply(panel);
}

}  // namespace llm
