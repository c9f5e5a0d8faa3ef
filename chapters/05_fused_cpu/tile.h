// The product of a few rows of weights with a few rows of numbers, its sums all in registers.
#pragma once

#include <type_traits>
#include <utility>

#include "chapters/05_fused_cpu/read_blocks.h"

namespace llm::LLM_ISA {

// Rows of numbers, 32 values (a step) behind the other: x[c][k] = data[c * row_stride + k / 32 * step_stride
// + k % 32]. Plain rows have a step_stride of 32; packed ones have the rows of a tile side by side.
struct Rows {
  const float* data;
  Index row_stride;
  Index step_stride;
};

// Where the rows of weights are: row(r), which read<kFirst>(row, step) understands.
template <class Block_>
struct BlockRows {
  using Block = Block_;
  static constexpr bool kHasRest = Block::kValues == 1;  // a row may end within a step
  const Block* data;
  Index stride;  // in blocks
  const Block* row(Index r) const { return data + r * stride; }
  BlockRows from(Index r) const { return {row(r), stride}; }
};

// Float32 weights that were packed: R rows side by side, step for step.
template <int R>
struct PackedRow {
  const float* data;
};
template <int R>
struct PackedRows {
  static constexpr bool kHasRest = false;
  const float* data;
  PackedRow<R> row(Index r) const { return {data + r * kStep}; }
};
template <int kFirst, int R>
inline Floats read(PackedRow<R> row, Index step) {
  return load(row.data + R * kStep * step + kFirst);
}

template <class F>
[[gnu::always_inline]] inline void each_part(F&& f) {
  each_part<kStep>(f);
}

// One step of R rows of weights and C rows of x.
template <int R, int C, class Row>
[[gnu::always_inline]] inline void add_step(const Row (&rows)[R], Index step, const float* x,
                                            Index row_stride, Floats (&sums)[R][C]) {
  each_part([&]<int kFirst>() __attribute__((always_inline)) {
    Floats w[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) w[r] = read<kFirst>(rows[r], step);
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
      const Floats v = load(x + c * row_stride + kFirst);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) sums[r][c] = fma(w[r], v, sums[r][c]);
    }
  });
}

// The last values of rows that end within a step, with zeros behind them.
template <int R, int C, class Block>
[[gnu::noinline]] void add_rest(const Block* const (&rows)[R], const Rows& x, Index K, Floats (&sums)[R][C]) {
  const Index steps = K / kStep;
  Block last[R][kStep] = {};
  float x_last[C][kStep] = {};
  const Block* last_rows[R];
  for (int r = 0; r < R; ++r) {
    last_rows[r] = last[r];
    for (Index i = 0; i < K % kStep; ++i) last[r][i] = rows[r][steps * kStep + i];
  }
  for (int c = 0; c < C; ++c)
    for (Index i = 0; i < K % kStep; ++i) x_last[c][i] = x.data[c * x.row_stride + steps * x.step_stride + i];
  add_step<R, C>(last_rows, 0, x_last[0], kStep, sums);
}

// Has the weights brought near that are `ahead` bytes after a step's in memory. To the second cache: in the
// first one they would displace what is in use.
template <class Block>
[[gnu::always_inline]] inline void fetch(const Block* row, Index step, Index ahead) {
  constexpr Index kStepBytes = kStep * static_cast<Index>(sizeof(Block)) / Block::kValues, kLine = 64;
  const auto* begin = reinterpret_cast<const char*>(row) + step * kStepBytes + ahead;
  __builtin_prefetch(begin, 0, 2);
  if constexpr (kStepBytes > kLine) __builtin_prefetch(begin + kLine, 0, 2);
}

template <class Row>
constexpr bool kIsGrouped = false;
template <HasGroups Block>
constexpr bool kIsGrouped<const Block*> = true;

// One block of R rows, 8 steps.
template <int R, int C, class Block>
[[gnu::always_inline]] inline void add_block(const Block* const (&rows)[R], Index b, const Rows& x,
                                             Index ahead, Floats (&sums)[R][C]) {
  constexpr Index kSteps = Block::kValues / kStep;
  Groups<Block> groups[R];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) groups[r] = open(rows[r][b]);
  for (Index i = 0; i < kSteps; i += 2) {  // even and odd ones apart: the compiler knows which half of a byte
    const Index step = b * kSteps + i;
#pragma GCC unroll 8
    for (int r = 0; r < R && ahead != 0; ++r) fetch(rows[r], step, ahead);  // less than a line each
    add_step(groups, i, x.data + step * x.step_stride, x.row_stride, sums);
    add_step(groups, i + 1, x.data + (step + 1) * x.step_stride, x.row_stride, sums);
  }
}

// out[c * out_stride + r] = weights[r] . x[c] over K values, for C rows of x and R rows of weights. Every sum
// is kLanes running sums, added up at the end: in the same order whatever R and C are, so that a result does
// not depend on its neighbours.
// ahead: how many bytes further on in memory the weights are that will be wanted next; 0: they are near.
template <int R, int C, class Source>
[[gnu::always_inline]] inline void tile(const Source& weights, const Rows& x, Index K, float* out,
                                        Index out_stride, Index ahead = 0) {
  using Row = decltype(weights.row(0));
  Floats sums[R][C];
  Row rows[R];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    rows[r] = weights.row(r);
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) sums[r][c] = zero();
  }
  const Index steps = K / kStep;
  if constexpr (kIsGrouped<Row>) {
    for (Index b = 0; b < K / Source::Block::kValues; ++b) add_block(rows, b, x, ahead, sums);
  } else {
    for (Index step = 0; step < steps; ++step) {
      if constexpr (std::is_pointer_v<Row>) {
#pragma GCC unroll 8
        for (int r = 0; r < R && ahead != 0; ++r) fetch(rows[r], step, ahead);
      }
      add_step<R, C>(rows, step, x.data + step * x.step_stride, x.row_stride, sums);
    }
  }
  if constexpr (Source::kHasRest)
    if (K % kStep != 0) add_rest<R, C>(rows, x, K, sums);
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) out[c * out_stride + r] = sum(sums[r][c]);
}

// tile<R, count> for a count of 1 to C.
template <int R, int C, class Source>
void tile_of(Index count, const Source& weights, const Rows& x, Index K, float* out, Index out_stride,
             Index ahead = 0) {
  if (count == C) return tile<R, C>(weights, x, K, out, out_stride, ahead);
  if constexpr (C > 1) tile_of<R, C - 1>(count, weights, x, K, out, out_stride, ahead);
}

}  // namespace llm::LLM_ISA
