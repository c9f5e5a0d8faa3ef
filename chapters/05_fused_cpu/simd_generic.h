// simd.h for any processor: registers of 4 floats, as the compiler's vector types give them on SSE2 and NEON.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include "common/tensor/float_convert.h"

namespace llm::LLM_ISA {

typedef float Floats __attribute__((vector_size(16)));
constexpr int kLanes = 4;
#if defined(__ARM_NEON)
constexpr int kRegisters = 32;
#else
constexpr int kRegisters = 16;
#endif

inline Floats all(float value) { return Floats{value, value, value, value}; }
inline Floats zero() { return all(0); }
inline Floats load(const float* from) {
  Floats a;
  std::memcpy(&a, from, sizeof(a));
  return a;
}
inline void store(float* to, Floats a) { std::memcpy(to, &a, sizeof(a)); }
inline Floats add(Floats a, Floats b) { return a + b; }
inline Floats mul(Floats a, Floats b) { return a * b; }
inline Floats sub(Floats a, Floats b) { return a - b; }
inline Floats divide(Floats a, Floats b) { return a / b; }
inline Floats max(Floats a, Floats b) { return a > b ? a : b; }  // b if one of them is NaN
inline Floats min(Floats a, Floats b) { return a < b ? a : b; }
inline Floats fma(Floats a, Floats b, Floats c) {
#if defined(__ARM_NEON)
  return reinterpret_cast<Floats>(vfmaq_f32(
      reinterpret_cast<float32x4_t>(c), reinterpret_cast<float32x4_t>(a), reinterpret_cast<float32x4_t>(b)));
#else
  return a * b + c;
#endif
}
inline float sum(Floats a) { return (a[0] + a[2]) + (a[1] + a[3]); }

typedef std::uint32_t Bits __attribute__((vector_size(16)));

// a * 2^n, where the lowest bits of the float n are a whole number.
inline Floats times_power_of_two(Floats a, Floats n) {
  return reinterpret_cast<Floats>(reinterpret_cast<Bits>(a) + (reinterpret_cast<Bits>(n) << 23));
}

inline Floats from_bf16(const std::uint16_t* from) {
  const Bits bits = {from[0], from[1], from[2], from[3]};
  return reinterpret_cast<Floats>(bits << 16);
}
inline Floats from_f16(const std::uint16_t* from) {
  return Floats{f16_to_float(from[0]), f16_to_float(from[1]), f16_to_float(from[2]), f16_to_float(from[3])};
}
inline float f16_scale(std::uint16_t half) { return f16_to_float(half); }

typedef std::int8_t Codes __attribute__((vector_size(16)));
inline Codes load_codes(const void* from) {
  Codes a;
  std::memcpy(&a, from, sizeof(a));
  return a;
}
inline Codes first_codes(std::uint32_t four, std::uint32_t next_four) {
  return reinterpret_cast<Codes>(Bits{four, next_four, 0, 0});
}
inline Codes keep(Codes a, int bits) { return a & static_cast<std::int8_t>(bits); }
inline Codes join(Codes a, Codes b) { return a | b; }
typedef std::uint16_t Pairs __attribute__((vector_size(16)));
inline Codes right(Codes a, int by) { return reinterpret_cast<Codes>(reinterpret_cast<Pairs>(a) >> by); }
inline Codes left(Codes a, int by) { return reinterpret_cast<Codes>(reinterpret_cast<Pairs>(a) << by); }
inline Codes low_halves(Codes a) { return keep(a, 15); }
inline Codes high_halves(Codes a) { return keep(right(a, 4), 15); }
inline Codes fifth_bits(std::uint16_t bits) {
  const auto low = static_cast<std::int8_t>(bits), high = static_cast<std::int8_t>(bits >> 8);
  const Codes bytes = {low,  low,  low,  low,  low,  low,  low,  low,
                       high, high, high, high, high, high, high, high};
  const Codes own = {1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128};
  return ((bytes & own) == own) & 16;
}
inline Codes minus(Codes a, int value) { return a - static_cast<std::int8_t>(value); }
// Part p: codes 4p to 4p + 3.
template <int kPart>
inline Floats from_codes(Codes a) {
  return Floats{static_cast<float>(a[4 * kPart]), static_cast<float>(a[4 * kPart + 1]),
                static_cast<float>(a[4 * kPart + 2]), static_cast<float>(a[4 * kPart + 3])};
}

}  // namespace llm::LLM_ISA
