// The functions that are compiled once per instruction set, as tables to choose from at run time. What they
// take is plain data: code of a shared header, compiled for AVX-512 in one of these files and kept by the
// linker for everybody, would crash elsewhere.
#pragma once

#include <cstdint>

#include "common/base/isa.h"
#include "common/seams/kv_block.h"
#include "common/tensor/weight.h"

namespace llm {

// 32 numbers rounded to whole ones: number = scale * code, wrong by half a scale at most.
struct CodeBlock {
  float scale;
  float scaled_sum;            // scale * sum of the codes
  std::int32_t minus_sum;      // of all codes
  std::int32_t minus_sums[2];  // of the first and of the last 16
  std::int8_t codes[32];
};

// N rows of K numbers, row_stride apart; or packed for a kernel's tiles by pack_rows(). What a product with
// rounded numbers reads instead: blocks of codes [N, K / 32], or bfloat16 [N, padded_size(K)].
struct RowsIn {
  const float* data = nullptr;
  Index row_stride = 0;
  bool packed = false;
  const CodeBlock* codes = nullptr;
  const std::uint16_t* bf16 = nullptr;
};

// out[n * out_stride + m] = x[n] . weight[m], for N rows of x and all rows of `weight`, in whatever format.
// Plain x is for few rows: weights are read once, where they lie. With packed x the weights are unpacked to
// float32 once and stay in the cache for all rows of x. Both give the same bits.
struct ProductPanel {
  RowsIn x;
  Index N = 0;
  Weight weight;  // [M, K]: at most kPanelRows rows of a matrix
  float* out = nullptr;
  Index out_stride = 0;
  float* scratch = nullptr;  // panel_scratch(K) floats with any contents
};

inline constexpr Index kPanelRows = 32;
inline Index padded_size(Index K) { return (K + 31) / 32 * 32; }
inline Index panel_scratch(Index K) { return (kPanelRows + 8) * padded_size(K); }

// Some keys, or values, of one head, and the queries that look at them.
struct AttentionPanel {
  const float* queries = nullptr;  // [M, Dh], already multiplied by 1 / sqrt(Dh)
  Index M = 0, head_dim = 0;
  KvView view;
  Index head = 0, first = 0, count = 0;  // of the view: tokens [first, first + count) of the head
  float* scores = nullptr;               // [M, score_stride], of which `count` columns are used
  Index score_stride = 0;
  float* out = nullptr;  // [M, Dh]
};

// What must be known of some scores to put their softmax together with others'.
struct SoftmaxPart {
  float largest = 0;
  float sum = 0;  // of exp(score - largest)
};

// out = x / sqrt(mean(x^2) + eps) * weight
struct RmsNorm {
  const float* x = nullptr;
  const float* weight = nullptr;
  float* out = nullptr;  // may be x
  Index size = 0;
  float eps = 0;
};

struct Kernels {
  Isa isa;
  Index tile_rows;  // rows of x in one tile of product(): how pack_rows() packs them
  void (*product)(const ProductPanel& panel);

  // With rounded x. product_codes: Q8_0, Q4_0, Q4_1, Q4_K and Q6_K weights with panel.x.codes. product_bf16:
  // BF16 weights with panel.x.bf16; null where the instruction set has nothing for it.
  void (*product_codes)(const ProductPanel& panel);
  void (*quantize_x)(const float* x, Index K, CodeBlock* to);
  void (*product_bf16)(const ProductPanel& panel);

  // scores[m][i] = queries[m] . key i. Formats: float32; F16 and BF16 if head_dim is a multiple of 32; INT8
  // if moreover the group size is 32 times a power of two.
  void (*scores)(const AttentionPanel& panel);
  // out[m] += sum over i of scores[m][i] * value i
  void (*add_values)(const AttentionPanel& panel);
  // scores[i] = exp(scores[i] - largest) for `count` scores, at least one.
  SoftmaxPart (*exponentials)(float* scores, Index count);

  void (*rms_norm)(const RmsNorm& norm);
  // gate[i] = silu(gate[i]) * up[i]
  void (*swiglu)(float* gate, const float* up, Index count);
};

// Packs tile number `tile` of x, [N, K], for these kernels: its rows side by side, 32 values of each in turn,
// zeros behind the last value of a row. to: packed_size() floats for all tiles.
void pack_rows(const Kernels& kernels, View<const float, 2> x, Index tile, float* to);
inline Index packed_size(const Kernels& kernels, Index N, Index K) {
  return (N + kernels.tile_rows - 1) / kernels.tile_rows * kernels.tile_rows * padded_size(K);
}

// Errors: kUnsupported for an instruction set that this machine lacks.
const Kernels& kernels_for(Isa isa = active_isa());

}  // namespace llm
