#include "common/tensor/matmul.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "common/base/error.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/tensor/tensor.h"

namespace llm {
namespace {

// Values in [-1, 1) without a pattern.
Tensor<float, 2> random_matrix(Index rows, Index columns, std::uint32_t stream) {
  Tensor<float, 2> matrix({rows, columns});
  for (Index i = 0; i < matrix.size(); ++i) {
    const RngKey key = {.seed = 7, .sequence = stream, .purpose = RngPurpose::kTest};
    matrix.data()[i] = static_cast<float>(2 * uniform(key, static_cast<std::uint32_t>(i)) - 1);
  }
  return matrix;
}

// The largest error of out against sums in double, in units of what float sums of that length may lose.
double worst_error(View<const float, 2> x, View<const float, 2> weight, View<const float, 2> out) {
  double worst = 0;
  for (Index n = 0; n < x.shape(0); ++n) {
    for (Index m = 0; m < weight.shape(0); ++m) {
      double sum = 0, magnitude = 0;
      for (Index k = 0; k < x.shape(1); ++k) {
        const double term = double{x(n, k)} * double{weight(m, k)};
        sum += term;
        magnitude += std::abs(term);
      }
      const double allowed = magnitude * 0x1p-24 * std::sqrt(static_cast<double>(x.shape(1))) + 1e-12;
      const double error = std::abs(out(n, m) - sum) / allowed;
      if (!(error <= worst)) worst = error;  // NaN stays
    }
  }
  return worst;
}

bool same_bits(View<const float, 2> a, View<const float, 2> b) {
  for (Index n = 0; n < a.shape(0); ++n)
    for (Index m = 0; m < a.shape(1); ++m)
      if (std::memcmp(&a(n, m), &b(n, m), sizeof(float)) != 0) return false;
  return true;
}

template <class F>
void for_each_isa(F&& body) {
  for (const Isa isa : available_isas()) {
    CAPTURE(isa_name(isa));
    body(isa);
  }
}

struct Threads {
  explicit Threads(int threads) : before(num_threads()) { set_num_threads(threads); }
  ~Threads() { set_num_threads(before); }
  int before;
};

TEST_CASE("matmul equals sums in double for awkward sizes, on every instruction set") {
  for_each_isa([](Isa isa) {
    for (const Index N : {1, 2, 3, 4, 5, 6, 7, 11, 64, 65, 70})
      for (const Index M : {1, 2, 3, 4, 5, 7, 31, 257})
        for (const Index K : {1, 3, 8, 15, 16, 17, 33, 100}) {
          CAPTURE(N);
          CAPTURE(M);
          CAPTURE(K);
          const auto x = random_matrix(N, K, 1), weight = random_matrix(M, K, 2);
          Tensor<float, 2> out({N, M}, std::numeric_limits<float>::quiet_NaN());
          matmul(x, weight, out, isa);
          CHECK(worst_error(x, weight, out) < 4);
        }
  });
}

TEST_CASE("matmul takes slices of columns and a transposed weight, and writes nothing else") {
  for_each_isa([](Isa isa) {
    for (const Index N : {1, 5, 67}) {
      CAPTURE(N);
      const Index M = 37, K = 21, kGap = 5;
      const auto wide_x = random_matrix(N, K + kGap, 3), wide_weight = random_matrix(M, K + kGap, 4);
      const View<const float, 2> x(wide_x.data() + 2, {N, K}, {K + kGap, 1});
      const View<const float, 2> weight(wide_weight.data() + 3, {M, K}, {K + kGap, 1});
      Tensor<float, 2> wide_out({N, M + kGap}, 42.0f);
      const View<float, 2> out(wide_out.data() + 1, {N, M}, {M + kGap, 1});
      matmul(x, weight, out, isa);
      CHECK(worst_error(x, weight, out) < 4);
      for (Index n = 0; n < N; ++n)
        for (Index i = 0; i < M + kGap; ++i)
          if (i < 1 || i > M) CHECK(wide_out(n, i) == 42.0f);

      const auto columns = random_matrix(K, M + kGap, 5);
      const View<const float, 2> transposed(columns.data() + 4, {M, K}, {1, M + kGap});
      matmul(x, transposed, out, isa);
      CHECK(worst_error(x, transposed, out) < 4);
    }
  });
}

TEST_CASE("matmul of nothing: no rows, no columns, and sums of no terms are zero") {
  for_each_isa([](Isa isa) {
    for (const Index N : {0, 3, 100}) {
      Tensor<float, 2> x({N, 0}), weight({5, 0}), out({N, 5}, 9.0f), none({N, 0});
      matmul(x, weight, out, isa);
      for (Index i = 0; i < out.size(); ++i) CHECK(out.data()[i] == 0.0f);
      matmul(random_matrix(N, 4, 1), random_matrix(0, 4, 2), none, isa);
    }
  });
}

TEST_CASE("matmul gives the same bits for 1, 2 and 4 threads") {
  for_each_isa([](Isa isa) {
    for (const Index N : {1, 6, 64, 150}) {
      CAPTURE(N);
      const auto x = random_matrix(N, 129, 6), weight = random_matrix(1111, 129, 7);
      Tensor<float, 2> expected({N, 1111}), out({N, 1111});
      {
        const Threads one(1);
        matmul(x, weight, expected, isa);
      }
      for (const int threads : {2, 3, 4}) {
        const Threads several(threads);
        out.fill(0);
        matmul(x, weight, out, isa);
        CHECK(same_bits(expected, out));
      }
    }
  });
}

TEST_CASE("up to kMaxExactRows a row's bits do not depend on the other rows") {
  for_each_isa([](Isa isa) {
    const auto x = random_matrix(kMaxExactRows, 77, 8), weight = random_matrix(300, 77, 9);
    Tensor<float, 2> alone({1, 300});
    for (const Index N : {Index{2}, Index{3}, Index{5}, Index{8}, Index{31}, kMaxExactRows}) {
      CAPTURE(N);
      Tensor<float, 2> together({N, 300});
      matmul(x.view().slice(0, N), weight, together, isa);
      for (Index n = 0; n < N; ++n) {
        matmul(x.view().slice(n, 1), weight, alone, isa);
        CHECK(same_bits(alone, together.view().slice(n, 1)));
      }
    }
  });
}

TEST_CASE("NaN and infinity reach the outputs that they enter, and no others") {
  const float inf = std::numeric_limits<float>::infinity();
  for_each_isa([&](Isa isa) {
    for (const Index N : {3, 80}) {
      const Index K = 35, M = 9;
      auto x = random_matrix(N, K, 10), weight = random_matrix(M, K, 11);
      x(1, 33) = std::numeric_limits<float>::quiet_NaN();
      weight(4, 2) = inf;
      x(0, 2) = 0;   // 0 * infinity
      x(2, 2) = -1;  // -infinity
      Tensor<float, 2> out({N, M});
      matmul(x, weight, out, isa);
      for (Index m = 0; m < M; ++m) {
        CHECK(std::isnan(out(1, m)));
        CHECK(std::isfinite(out(0, m)) == (m != 4));
      }
      CHECK(std::isnan(out(0, 4)));
      CHECK(out(2, 4) == -inf);
    }
  });
}

TEST_CASE("matmul refuses shapes and strides that do not fit") {
  const auto code = [](View<const float, 2> x, View<const float, 2> weight, View<float, 2> out) {
    try {
      matmul(x, weight, out);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::kIo;  // no error
  };
  Tensor<float, 2> x({2, 3}), weight({4, 3}), out({2, 4});
  x.fill(1), weight.fill(1);
  CHECK(code(x, weight, out) == ErrorCode::kIo);
  CHECK(code(x, Tensor<float, 2>({4, 2}), out) == ErrorCode::kShape);
  CHECK(code(x, Tensor<float, 2>({3, 3}), out) == ErrorCode::kShape);
  CHECK(code(Tensor<float, 2>({1, 3}), weight, out) == ErrorCode::kShape);
  CHECK(code(View<const float, 2>(x.data(), {2, 3}, {1, 2}), weight, out) == ErrorCode::kShape);
  CHECK(code(x, weight, View<float, 2>(out.data(), {2, 4}, {1, 2})) == ErrorCode::kShape);
}

TEST_CASE("an instruction set that the machine lacks is an error, not a crash") {
  const auto available = available_isas();
  Tensor<float, 2> x({1, 1}, 1.0f), out({1, 1});
  for (const Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Bf16, Isa::kNeon}) {
    if (std::find(available.begin(), available.end(), isa) != available.end()) continue;
    CHECK_THROWS_AS(matmul(x, x, out, isa), Error);
  }
}

}  // namespace
}  // namespace llm
