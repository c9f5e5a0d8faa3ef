// Matrix products of weights in any format. Compiled once per instruction set.
#include "chapters/05_fused_cpu/kernel_parts.h"
#include "chapters/05_fused_cpu/tile.h"

namespace llm::LLM_ISA {
namespace {

// A tile's sums, a register of each of its weights and one of x just fit into the registers.
constexpr int kTileWeights = kRegisters >= 32 ? 4 : 3;
constexpr int kTileX = kRegisters >= 32 ? 6 : 4;
// For one row of x: plain numbers row after row, just as they lie in memory, which the processor fetches
// ahead best by itself; blocks, whose unpacking is the work, several rows at a time.
template <class Block>
constexpr int kLoneWeights = Block::kValues == 1 ? 1 : 8;

Index padded(Index K) { return (K + kStep - 1) / kStep * kStep; }

// The rows of x from n on, n a multiple of kTileX.
Rows tile_x(const ProductPanel& p, Index n) {
  if (p.x.packed) return {p.x.data + n * padded(p.weight.cols), kStep, kTileX * kStep};
  return {p.x.data + n * p.x.row_stride, p.x.row_stride, kStep};
}

// `rows` rows of weights, at most kTileWeights, with the rows of x from n on, at most kTileX. out: where the
// first of these weights has its column.
template <class Source>
void one_tile(const ProductPanel& p, const Source& weights, Index rows, Index n, float* out,
              Index ahead = 0) {
  const Index K = p.x.packed ? padded(p.weight.cols) : p.weight.cols;
  const Index count = p.N - n < kTileX ? p.N - n : kTileX;
  out += n * p.out_stride;
  if (rows >= kTileWeights)
    return tile_of<kTileWeights, kTileX>(count, weights, tile_x(p, n), K, out, p.out_stride, ahead);
  float all[kTileX * kTileWeights];
  tile_of<kTileWeights, kTileX>(count, weights, tile_x(p, n), K, all, kTileWeights);
  for (Index c = 0; c < count; ++c)
    for (Index r = 0; r < rows; ++r) out[c * p.out_stride + r] = all[c * kTileWeights + r];
}

template <class Row>
[[gnu::always_inline]] inline void unpack_step(const Row& row, Index step, float* to) {
  Floats parts[kStep / kLanes];  // all read before the first is stored: the compiler takes `to` for anything
  each_part([&]<int kFirst>() { parts[kFirst / kLanes] = read<kFirst>(row, step); });
  each_part([&]<int kFirst>() { store(to + kFirst, parts[kFirst / kLanes]); });
}

// Up to kTileWeights rows side by side as float32, [steps, kTileWeights, kStep]; what is missing becomes
// zeros.
template <class Block>
PackedRows<kTileWeights> unpack(const BlockRows<Block>& weights, Index rows, Index K, float* to) {
  constexpr Index kNext = kTileWeights * kStep;
  const Index whole_steps = K / kStep;
  if (rows < kTileWeights || K % kStep != 0)
    for (Index i = 0; i < padded(K) * kTileWeights; i += kLanes) store(to + i, zero());
  for (Index r = 0; r < rows && r < kTileWeights; ++r) {
    const Block* row = weights.row(r);
    float* out = to + r * kStep;
    if constexpr (HasGroups<Block>) {
      for (Index b = 0; b < K / Block::kValues; ++b) {
        const Groups<Block> groups = open(row[b]);
        for (Index step = 0; step < Block::kValues / kStep; ++step, out += kNext)
          unpack_step(groups, step, out);
      }
    } else {
      for (Index step = 0; step < whole_steps; ++step, out += kNext) unpack_step(row, step, out);
    }
    if constexpr (BlockRows<Block>::kHasRest) {
      if (K % kStep == 0) continue;
      Block last[kStep] = {};
      for (Index i = 0; i < K % kStep; ++i) last[i] = row[whole_steps * kStep + i];
      const Block* begin = last;
      each_part([&]<int kFirst>() { store(out + kFirst, read<kFirst>(begin, 0)); });
    }
  }
  return {to};
}

// Weights outside, so that each is read once, straight from memory.
template <class Block>
void few(const ProductPanel& p, const BlockRows<Block>& weights) {
  const Index M = p.weight.rows, K = p.weight.cols;
  const Index stride_bytes = weights.stride * static_cast<Index>(sizeof(Block));
  Index m = 0;
  constexpr int kLone = kLoneWeights<Block>;
  if (p.N == 1)
    for (; m + kLone <= M; m += kLone)
      tile<kLone, 1>(weights.from(m), tile_x(p, 0), K, p.out + m, p.out_stride,
                     kLone == 1 ? 0 : kLone * stride_bytes);
  for (; m < M; m += kTileWeights) {
    const auto multiply = [&](const auto& source) {
      for (Index n = 0; n < p.N; n += kTileX)
        one_tile(p, source, M - m, n, p.out + m, n == 0 ? kTileWeights * stride_bytes : 0);
    };
    // A plain tile reads kTileWeights rows even where fewer are left; beyond the last row there is nothing.
    if (m + kTileWeights <= M) {
      multiply(weights.from(m));
      continue;
    }
    if constexpr (BlockRows<Block>::kHasRest) {  // x is not padded, so the weights must not be either
      for (; m < M; ++m)
        for (Index n = 0; n < p.N; n += kTileX)
          tile_of<1, kTileX>(p.N - n < kTileX ? p.N - n : kTileX, weights.from(m), tile_x(p, n), K,
                             p.out + n * p.out_stride + m, p.out_stride);
      return;
    }
    multiply(unpack(weights.from(m), M - m, K, p.scratch));
  }
}

// x outside: the panel's weights are unpacked once, and stay in the cache for all rows of x.
template <class Block>
void many(const ProductPanel& p, const BlockRows<Block>& weights) {
  const Index M = p.weight.rows, K = p.weight.cols;
  for (Index m = 0; m < M; m += kTileWeights) unpack(weights.from(m), M - m, K, p.scratch + m * padded(K));
  for (Index n = 0; n < p.N; n += kTileX)
    for (Index m = 0; m < M; m += kTileWeights)
      one_tile(p, PackedRows<kTileWeights>{p.scratch + m * padded(K)}, M - m, n, p.out + m);
}

}  // namespace

void product(const ProductPanel& p) {
  visit(p.weight, [&]<class Block>(const View<const Block, 2>& blocks) {
    const BlockRows<Block> weights = {blocks.data(), blocks.stride(0)};
    p.x.packed ? many(p, weights) : few(p, weights);
  });
}

extern const Index kProductTileRows;
const Index kProductTileRows = kTileX;

}  // namespace llm::LLM_ISA
