// Products of whole numbers: blocks of weights as they stand in the file with rows of x that were rounded to
// INT8. Compiled for AVX2 and for AVX-512 with VNNI, which has one instruction for four multiply-adds.
//
// A register holds four codes of each of kLanes rows of weights, so a sum's lanes are rows' results: nothing
// has to be added up across lanes, and all rows share the numbers of x.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "chapters/05_fused_cpu/code_blocks.h"
#include "chapters/05_fused_cpu/code_formats.h"
#include "chapters/05_fused_cpu/kernel_parts.h"

namespace llm::LLM_ISA {
namespace {

constexpr int kTileX = kRegisters >= 32 ? 8 : 4;  // rows of x for which unpacked weights stay in registers

// Bytes from the end of the rows at hand to what is fetched meanwhile.
constexpr Index kAhead = Index{8} << 10;

// sum += group . x over 32 values. The whole numbers' sum is exact, so in a row of sums there is one rounding
// for each group, always in the same order.
template <class Block>
[[gnu::always_inline]] inline void add_group(const typename Format<Block>::Group& group, const CodeBlock& x,
                                             Floats& sum) {
  constexpr int kLargest = Format<Block>::kLargest, kZero = Format<Block>::kZero;
  const auto start = [](std::int32_t minus_sum) {
    return kZero == 0 ? all(0) : mul(all(minus_sum), all(kZero));
  };
  Words total;
  if constexpr (requires { group.factors; }) {
    const Words lower = dot<kLargest, 4>(start(x.minus_sums[0]), group.codes, x.codes);
    const Words upper = dot<kLargest, 4>(start(x.minus_sums[1]), group.codes + 4, x.codes + 16);
    total = add(mul(lower, group.factors[0]), mul(upper, group.factors[1]));
  } else {
    total = dot<kLargest, 8>(start(x.minus_sum), group.codes, x.codes);
  }
  sum = fma(to_float(total), mul(group.scale, all(x.scale)), sum);
  if constexpr (requires { group.min; }) sum = fma(group.min, all(x.scaled_sum), sum);
}

// kLanes rows of weights as they stand in the file. While they are read, what lies further on in memory is
// brought near: a little with every group, because only so many reads can be on their way at a time.
template <class Block>
struct RowsInFile {
  using Values = Block;
  const Block* data;
  Index blocks;  // a row
  template <class F>
  [[gnu::always_inline]] void each(F&& f) const {
    constexpr Index kGroupBytes = kLanes * static_cast<Index>(sizeof(Block)) * 32 / Block::kValues;
    const Index stride = blocks * static_cast<Index>(sizeof(Block));
    const auto* ahead = reinterpret_cast<const char*>(data) + kLanes * stride + kAhead;
    RowBytes rows(data, stride);
    for (Index b = 0; b < blocks; ++b, rows.skip(sizeof(Block)))
      each_group(
          data, rows, [&](const auto& group) __attribute__((always_inline)) {
#pragma GCC unroll 16
            for (Index i = 0; i < kGroupBytes; i += 64) __builtin_prefetch(ahead + i, 0, 2);
            ahead += kGroupBytes;
            f(group);
          });
  }
};

// The same, unpacked to groups side by side.
template <class Block>
struct UnpackedRows {
  using Values = Block;
  typename Format<Block>::Group* data;
  Index groups;  // a row
  template <class F>
  [[gnu::always_inline]] void each(F&& f) const {
    for (Index g = 0; g < groups; ++g) f(data[g]);
  }
};

// The first address in some scratch memory where a register may be stored.
template <class T>
T* aligned(float* scratch) {
  return reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(scratch) + 63) / 64 * 64);
}

// Where results go: out[c * stride + lane] for the first `lanes` of kLanes rows.
struct Results {
  float* out;
  Index stride;
  Index lanes;
  void put(Index c, Floats sums) const {
    if (lanes == kLanes) return store(out + c * stride, sums);
    float all_lanes[kLanes];
    store(all_lanes, sums);
    std::memcpy(out + c * stride, all_lanes, static_cast<std::size_t>(lanes) * sizeof(float));
  }
};

// kLanes rows of weights with C rows of x, x_stride blocks apart.
template <int C, class Rows>
[[gnu::noinline]] void tile(const Rows& rows, const CodeBlock* x, Index x_stride, const Results& results) {
  Floats sums[C];
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c) sums[c] = zero();
  rows.each([&](const auto& group) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) add_group<typename Rows::Values>(group, x[c * x_stride], sums[c]);
    ++x;
  });
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c) results.put(c, sums[c]);
}

template <int C, class Rows>
void tile_of(Index count, const Rows& rows, const CodeBlock* x, Index x_stride, const Results& results) {
  if (count == C) return tile<C>(rows, x, x_stride, results);
  if constexpr (C > 1) tile_of<C - 1>(count, rows, x, x_stride, results);
}

// kLanes rows of weights with all rows of x. For more of them than a tile's the weights are unpacked to
// `unpacked` once.
template <class Block>
void multiply_rows(const ProductPanel& p, const Block* weights, float* unpacked, const Results& results) {
  using Group = typename Format<Block>::Group;
  const Index x_stride = p.weight.cols / 32;
  const RowsInFile<Block> rows = {weights, p.weight.cols / Block::kValues};
  if (p.N <= kTileX) return tile_of<kTileX>(p.N, rows, p.x.codes, x_stride, results);
  const UnpackedRows<Block> groups = {aligned<Group>(unpacked), x_stride};
  Group* next = groups.data;
  rows.each([&](const Group& group) __attribute__((always_inline)) { *next++ = group; });
  for (Index n = 0; n < p.N; n += kTileX)
    tile_of<kTileX>(std::min<Index>(p.N - n, kTileX), groups, p.x.codes + n * x_stride, x_stride,
                    {results.out + n * results.stride, results.stride, results.lanes});
}

template <class Block>
void multiply(const ProductPanel& p) {
  const auto* weights = reinterpret_cast<const Block*>(p.weight.data);
  const Index M = p.weight.rows, blocks = p.weight.cols / Block::kValues;
  const Index half = panel_scratch(p.weight.cols) / 2;  // of the scratch, enough for either use of it
  if (M < kLanes) {                                     // a copy, so that there are kLanes rows to read
    auto* rows = aligned<Block>(p.scratch + half);
    for (Index r = 0; r < kLanes; ++r)
      std::copy_n(weights + std::min(r, M - 1) * blocks, blocks, rows + r * blocks);
    return multiply_rows(p, rows, p.scratch, {p.out, p.out_stride, M});
  }
  for (Index m = 0; m < M; m += kLanes) {
    const Index first = std::min(m, M - kLanes);  // the last rows with some before them, once more
    multiply_rows(p, weights + first * blocks, p.scratch, {p.out + first, p.out_stride, kLanes});
  }
}

}  // namespace

void product_codes(const ProductPanel& p) {
  visit_code_format(p.weight.dtype, [&]<class Block>() { multiply<Block>(p); });
}

}  // namespace llm::LLM_ISA
