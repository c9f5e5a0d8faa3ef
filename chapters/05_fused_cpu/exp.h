// e to the power of a register of floats.
#pragma once

#include "chapters/05_fused_cpu/simd.h"

namespace llm::LLM_ISA {

// exp(x) = 2^n * exp(r) with n the whole number nearest to x / ln 2 and |r| <= ln 2 / 2, where a polynomial
// of degree 6 is exact to a few units in the last place. Arguments are cut to [-87, 88]: results stay normal
// numbers. NaN stays NaN.
inline Floats exp(Floats x) {
  constexpr float kLog2E = 1.44269504f;
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it leaves a whole number in the lowest bits
  constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  x = max(all(-87.0f), min(all(88.0f), x));
  const Floats shifted = fma(x, all(kLog2E), all(kRound));
  const Floats n = sub(shifted, all(kRound));
  Floats r = fma(n, all(-kLn2High), x);
  r = fma(n, all(-kLn2Low), r);
  constexpr float kCoefficients[] = {1.0f / 120, 1.0f / 24, 1.0f / 6, 1.0f / 2, 1.0f, 1.0f};
  Floats p = all(1.0f / 720);
#pragma GCC unroll 6
  for (const float coefficient : kCoefficients) p = fma(p, r, all(coefficient));
  return times_power_of_two(p, shifted);
}

}  // namespace llm::LLM_ISA
