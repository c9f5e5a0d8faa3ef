// Compiled once per instruction set, with Eigen's namespace renamed: see common/tensor/matmul_kernel.cpp.
#include "chapters/05_fused_cpu/peak_kernel.h"

#define LLM_JOIN_NAMES(a, b) a##b
#define LLM_JOIN(a, b) LLM_JOIN_NAMES(a, b)
#define Eigen LLM_JOIN(Eigen_, LLM_ISA)
#include <Eigen/Core>

namespace llm::LLM_ISA {
namespace {

using Vector = Eigen::internal::packet_traits<float>::type;  // the widest: 4, 8 or 16 floats
constexpr Index kLanes = Eigen::internal::packet_traits<float>::size;
constexpr int kSums = 8;
static_assert(1024 % (kSums * kLanes) == 0);

Vector all(float value) { return Eigen::internal::pset1<Vector>(value); }

// sums[i] = sums[i] * a + b, again and again: it tends to 1, far from slow denormal numbers.
float multiply_add(Index rounds) {
  Vector sums[kMultiplyAdds];
  for (Vector& sum : sums) sum = all(0.5f);
  const Vector a = all(0.875f), b = all(0.125f);
  for (Index round = 0; round < rounds; ++round)
    for (Vector& sum : sums) sum = Eigen::internal::pmadd(sum, a, b);
  float total = 0;
  for (const Vector& sum : sums) total += Eigen::internal::predux(sum);
  return total;
}

// Four stretches at once, two vectors of each in turn: several streams bring more bytes from memory than one,
// and more of them than that again fewer.
float sum(const float* values, Index count) {
  constexpr int kStreams = kSums / 2;
  Vector sums[kSums];
  for (Vector& sum : sums) sum = all(0);
  const Index stretch = count / kStreams;
  for (Index i = 0; i < stretch; i += 2 * kLanes)
#pragma GCC unroll 8
    for (int s = 0; s < kSums; ++s) {
      const float* at = values + (s / 2) * stretch + i + (s % 2) * kLanes;
      sums[s] = Eigen::internal::padd(sums[s], Eigen::internal::ploadu<Vector>(at));
    }
  float total = 0;
  for (const Vector& sum : sums) total += Eigen::internal::predux(sum);
  return total;
}

}  // namespace

extern const PeakKernels kPeakKernels;
const PeakKernels kPeakKernels = {.multiply_add = multiply_add, .sum = sum, .lanes = kLanes};

}  // namespace llm::LLM_ISA
