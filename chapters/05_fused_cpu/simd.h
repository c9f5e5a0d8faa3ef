// Vectors of floats for the instruction set that a file is compiled for (LLM_ISA, see llm_isa_source in
// common/cmake/targets.cmake). All functions have the set's name in theirs and are inlined: the linker must
// not share code for AVX-512 with machines that lack it.
//
//   Floats, kLanes          one register of kLanes float32 values: 4, 8 or 16
//   zero, all, load, store, add, sub, mul, divide, fma, min, max, sum, times_power_of_two
//   from_bf16, from_f16, f16_scale
//   Codes                   16 small integers, one byte each
//   load_codes, low_halves, high_halves, minus, from_codes<part>
//   keep(a, bits)           the bits of a code that are set in `bits` (a byte)
//   join(a, b)              the bits of both
//   right(a, by), left      all bits `by` places lower, higher; bits of the neighbour come in: keep() others
//   fifth_bits(bits)        16 times 0 or 16, as the 16 bits are
//
// fma(a, b, c) is a * b + c, rounded once where the machine has such an instruction.
#pragma once

#if !defined(LLM_ISA)
#define LLM_ISA baseline  // a file that is compiled by itself, as in the exercises
#endif

#if defined(__AVX512F__)
#include "chapters/05_fused_cpu/simd_avx512.h"
#elif defined(__AVX2__)
#include "chapters/05_fused_cpu/simd_avx2.h"
#else
#include "chapters/05_fused_cpu/simd_generic.h"
#endif
