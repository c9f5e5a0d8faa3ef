// Products of whole numbers without instructions made for them: what int8_kernel.cpp does for many rows at
// once, a row and a block at a time. Compiled for processors that have nothing better.
#include "chapters/05_fused_cpu/code_formats.h"
#include "chapters/05_fused_cpu/kernel_parts.h"
#include "chapters/05_fused_cpu/read_blocks.h"

namespace llm::LLM_ISA {
namespace {

// A block of weights times as many rounded numbers: the whole numbers' sum is exact, then the scales come in
// once.
// --8<-- [start:q8_0_dot]
float dot(const BlockQ8_0& w, const CodeBlock* x) {
  // --8<-- [start:ex05-6]
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += w.codes[i] * x->codes[i];
  return f16_scale(w.scale) * x->scale * static_cast<float>(sum);
  // --8<-- [end:ex05-6]
}
// --8<-- [end:q8_0_dot]

// Of codes in halves of bytes, of which `less` stands for nothing.
int dot_halves(const std::uint8_t (&codes)[16], int less, const CodeBlock* x) {
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += ((codes[i] & 15) - less) * x->codes[i] + ((codes[i] >> 4) - less) * x->codes[i + 16];
  return sum;
}

float dot(const BlockQ4_0& w, const CodeBlock* x) {
  return f16_scale(w.scale) * x->scale * static_cast<float>(dot_halves(w.codes, 8, x));
}

// A minimum is the same for all numbers of x, so it is multiplied with their sum.
float dot(const BlockQ4_1& w, const CodeBlock* x) {
  return f16_scale(w.scale) * x->scale * static_cast<float>(dot_halves(w.codes, 0, x)) +
         f16_scale(w.min) * x->scaled_sum;
}

float dot(const BlockQ4_K& w, const CodeBlock* x) {
  const Groups<BlockQ4_K> groups = open(w);
  float total = 0;
  for (int g = 0; g < 8; ++g, ++x) {
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += (w.codes[g / 2 * 32 + i] >> g % 2 * 4 & 15) * x->codes[i];
    total += groups.scale[g] * x->scale * static_cast<float>(sum) + groups.min[g] * x->scaled_sum;
  }
  return total;
}

// Two scales in every 32 values, whole numbers themselves.
float dot(const BlockQ6_K& w, const CodeBlock* x) {
  float total = 0;
  for (int q = 0; q < 8; ++q, ++x) {
    const std::uint8_t* low = w.low_codes + q / 4 * 64 + q % 2 * 32;
    const std::uint8_t* high = w.high_codes + q / 4 * 32;
    int sum = 0;
    for (int i = 0; i < 32; ++i) {
      const int four = low[i] >> q % 4 / 2 * 4 & 15, two = high[i] >> q % 4 * 2 & 3;
      sum += w.scales[2 * q + i / 16] * ((four | two << 4) - 32) * x->codes[i];
    }
    total += f16_scale(w.scale) * x->scale * static_cast<float>(sum);
  }
  return total;
}

template <class Block>
void multiply(const ProductPanel& p) {
  const auto* weights = reinterpret_cast<const Block*>(p.weight.data);
  const Index blocks = p.weight.cols / Block::kValues, x_stride = p.weight.cols / 32;
  for (Index m = 0; m < p.weight.rows; ++m)
    for (Index n = 0; n < p.N; ++n) {
      float sum = 0;
      for (Index b = 0; b < blocks; ++b)
        sum += dot(weights[m * blocks + b], p.x.codes + n * x_stride + b * (Block::kValues / 32));
      p.out[n * p.out_stride + m] = sum;
    }
}

}  // namespace

void product_codes(const ProductPanel& p) {
  visit_code_format(p.weight.dtype, [&]<class Block>() { multiply<Block>(p); });
}

}  // namespace llm::LLM_ISA
