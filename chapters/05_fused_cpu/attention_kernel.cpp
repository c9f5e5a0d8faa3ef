// What attention does with the keys and values of one head. Compiled once per instruction set.
#include "chapters/05_fused_cpu/kernel_parts.h"
#include "chapters/05_fused_cpu/tile.h"

namespace llm::LLM_ISA {

// INT8 codes with a scale for every 2^log2_steps steps of 32 values.
struct Int8Row {
  const std::byte* codes;
  const float* scales;
  int log2_steps;
};
template <int kFirst>
inline Floats read(const Int8Row& row, Index step) {
  const Codes codes = load_codes(row.codes + kStep * step + kFirst / 16 * 16);
  return mul(all(row.scales[step >> row.log2_steps]), part<kFirst>(codes));
}
struct Int8Rows {
  static constexpr bool kHasRest = false;
  const std::byte* codes;
  const float* scales;
  Index stride_bytes, scale_stride;
  int log2_steps;
  Int8Row row(Index r) const { return {codes + r * stride_bytes, scales + r * scale_stride, log2_steps}; }
  Int8Rows from(Index r) const {
    return {row(r).codes, row(r).scales, stride_bytes, scale_stride, log2_steps};
  }
};

namespace {

constexpr int kTileKeys = kRegisters >= 32 ? 4 : 3;
constexpr int kTileQueries = kRegisters >= 32 ? 6 : 4;
constexpr int kMostSums = kRegisters * 3 / 4;  // of values, in registers

// f(rows) with the view's tokens from `first` on as rows.
template <class F>
void with_rows(const KvView& view, Index head, Index first, F f) {
  const std::byte* data = view.data + head * view.head_stride_bytes + first * view.token_stride_bytes;
  const auto blocks = [&]<class Block>(const Block*) {
    f(BlockRows<Block>{reinterpret_cast<const Block*>(data),
                       view.token_stride_bytes / static_cast<Index>(sizeof(Block))});
  };
  switch (view.format) {
    case KvFormat::kF16: return blocks(static_cast<const BlockF16*>(nullptr));
    case KvFormat::kBF16: return blocks(static_cast<const BlockBF16*>(nullptr));
    case KvFormat::kInt8:
      return f(Int8Rows{data, view.scales + head * view.scale_head_stride + first * view.scale_token_stride,
                        view.token_stride_bytes, view.scale_token_stride,
                        __builtin_ctzll(static_cast<unsigned long long>(view.group_size / kStep))});
    default: return blocks(static_cast<const BlockF32*>(nullptr));
  }
}

template <int R, class Source>
void score_keys(const AttentionPanel& p, const Source& keys, float* out) {
  for (Index m = 0; m < p.M; m += kTileQueries) {
    const Rows queries = {p.queries + m * p.head_dim, p.head_dim, kStep};
    tile_of<R, kTileQueries>(p.M - m < kTileQueries ? p.M - m : kTileQueries, keys, queries, p.head_dim,
                             out + m * p.score_stride, p.score_stride);
  }
}

// The sums of M queries over kSteps steps of the values' columns, in registers.
template <int kSteps, int M, class Source>
[[gnu::always_inline]] inline void add_columns(const AttentionPanel& p, const Source& values, Index m,
                                               Index first_step) {
  constexpr int kParts = kStep / kLanes;
  Floats sums[M][kSteps * kParts];
  float* out = p.out + m * p.head_dim + first_step * kStep;
  const float* scores = p.scores + m * p.score_stride;
#pragma GCC unroll 8
  for (int q = 0; q < M; ++q)
#pragma GCC unroll 16
    for (int i = 0; i < kSteps * kParts; ++i) sums[q][i] = load(out + q * p.head_dim + i * kLanes);
  for (Index token = 0; token < p.count; ++token) {
    const auto row = values.row(token);
    Floats share[M];
#pragma GCC unroll 8
    for (int q = 0; q < M; ++q) share[q] = all(scores[q * p.score_stride + token]);
#pragma GCC unroll 2
    for (int s = 0; s < kSteps; ++s)
      each_part([&]<int kFirst>() __attribute__((always_inline)) {
        const Floats value = read<kFirst>(row, first_step + s);
#pragma GCC unroll 8
        for (int q = 0; q < M; ++q) {
          Floats& sum_of = sums[q][s * kParts + kFirst / kLanes];
          sum_of = fma(share[q], value, sum_of);
        }
      });
  }
#pragma GCC unroll 8
  for (int q = 0; q < M; ++q)
#pragma GCC unroll 16
    for (int i = 0; i < kSteps * kParts; ++i) store(out + q * p.head_dim + i * kLanes, sums[q][i]);
}

template <int kSteps, int M, class Source>
void add_columns_of(Index count, const AttentionPanel& p, const Source& values, Index m, Index first_step) {
  if (count == M) return add_columns<kSteps, M>(p, values, m, first_step);
  if constexpr (M > 1) add_columns_of<kSteps, M - 1>(count, p, values, m, first_step);
}

// Columns beyond the last whole step, which only float32 values have here.
void add_rest(const AttentionPanel& p, const BlockRows<BlockF32>& values) {
  for (Index m = 0; m < p.M; ++m)
    for (Index token = 0; token < p.count; ++token)
      for (Index d = p.head_dim / kStep * kStep; d < p.head_dim; ++d)
        p.out[m * p.head_dim + d] += p.scores[m * p.score_stride + token] * values.row(token)[d].value;
}
template <class Source>
void add_rest(const AttentionPanel&, const Source&) {}

}  // namespace

// For the few queries of a decode step key after key, just as they lie in memory: no order is read faster.
void attention_scores(const AttentionPanel& p) {
  with_rows(p.view, p.head, p.first, [&](const auto& keys) {
    Index i = 0;
    if (p.M > kTileQueries)
      for (; i + kTileKeys <= p.count; i += kTileKeys) score_keys<kTileKeys>(p, keys.from(i), p.scores + i);
    for (; i < p.count; ++i) score_keys<1>(p, keys.from(i), p.scores + i);
  });
}

void attention_values(const AttentionPanel& p) {
  with_rows(p.view, p.head, p.first, [&](const auto& values) {
    Index step = 0;
    // kSteps steps of columns at a time, with as many queries as there are registers for their sums.
    const auto add_up = [&]<int kSteps>() {
      constexpr int kQueries = kMostSums * kLanes / (kSteps * kStep);
      if constexpr (kQueries > 0)
        for (; (step + kSteps) * kStep <= p.head_dim; step += kSteps)
          for (Index m = 0; m < p.M; m += kQueries)
            add_columns_of<kSteps, kQueries>(p.M - m < kQueries ? p.M - m : kQueries, p, values, m, step);
    };
    // The fewer the queries, the more of a row at a time: values are read as they lie in memory.
    if (p.M * 4 * kStep <= kMostSums * kLanes) add_up.template operator()<4>();
    if (p.M * 2 * kStep <= kMostSums * kLanes || kLanes == 16) add_up.template operator()<2>();
    add_up.template operator()<1>();
    add_rest(p, values);
  });
}

}  // namespace llm::LLM_ISA
