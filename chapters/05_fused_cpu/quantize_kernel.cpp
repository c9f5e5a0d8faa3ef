// Rounding numbers to INT8, in blocks of 32 with a scale each. Compiled once per instruction set.
#include "chapters/05_fused_cpu/kernel_parts.h"

namespace llm::LLM_ISA {

// --8<-- [start:quantize]
void quantize_x(const float* x, Index K, CodeBlock* to) {
  for (Index b = 0; b < K / 32; ++b, x += 32, ++to) {
    std::uint32_t bits = 0;  // of the largest magnitude; those of NaN are larger than any number's
    for (int i = 0; i < 32; ++i) {
      const std::uint32_t magnitude = __builtin_bit_cast(std::uint32_t, x[i]) & 0x7fffffffu;
      bits = magnitude > bits ? magnitude : bits;
    }
    const float largest = __builtin_bit_cast(float, bits);
    // Next to nothing is nothing; NaN and infinity stay in the scale.
    const bool is_normal = largest > 1e-36f && largest <= 3.4e38f;
    const float inverse = is_normal ? 127 / largest : 0.0f;
    int sum = 0, lower_sum = 0;
    for (int i = 0; i < 32; ++i) {
      const int code = is_normal ? static_cast<int>(__builtin_nearbyintf(x[i] * inverse)) : 0;
      to->codes[i] = static_cast<std::int8_t>(code);
      sum += code;
      lower_sum += i < 16 ? code : 0;
    }
    to->scale = largest / 127;
    to->scaled_sum = to->scale * static_cast<float>(sum);
    to->minus_sum = -sum;
    to->minus_sums[0] = -lower_sum;
    to->minus_sums[1] = lower_sum - sum;
  }
}
// --8<-- [end:quantize]

}  // namespace llm::LLM_ISA
