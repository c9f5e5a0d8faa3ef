// A weight matrix in whatever number format its file has.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>

#include "common/tensor/blocks.h"
#include "common/tensor/dtype.h"
#include "common/tensor/view.h"

namespace llm {

// rows x cols, row-major, in place where the file was mapped. A vector has one row.
// Not an owner: the checkpoint that it came from must outlive it.
struct Weight {
  DType dtype = DType::kF32;
  Index rows = 0;
  Index cols = 0;
  const std::byte* data = nullptr;

  explicit operator bool() const { return data != nullptr; }
  Index bytes_per_row() const { return row_bytes(dtype, cols); }
  Index bytes() const { return rows * bytes_per_row(); }
  const std::byte* row(Index r) const { return data + r * bytes_per_row(); }
};

// The only switch over number formats. Calls f(View<const Block, 2>) with the weight's blocks, shape
// [rows, cols / Block::kValues]; Block is one of those in blocks.h.
template <class F>
decltype(auto) visit(const Weight& weight, F&& f) {
  const auto call = [&]<class Block>(const Block*) -> decltype(auto) {
    return std::forward<F>(f)(View<const Block, 2>(reinterpret_cast<const Block*>(weight.data),
                                                   {weight.rows, weight.cols / Block::kValues}));
  };
  switch (weight.dtype) {
    case DType::kF16: return call(static_cast<const BlockF16*>(nullptr));
    case DType::kBF16: return call(static_cast<const BlockBF16*>(nullptr));
    case DType::kQ4_0: return call(static_cast<const BlockQ4_0*>(nullptr));
    case DType::kQ4_1: return call(static_cast<const BlockQ4_1*>(nullptr));
    case DType::kQ5_0: return call(static_cast<const BlockQ5_0*>(nullptr));
    case DType::kQ5_1: return call(static_cast<const BlockQ5_1*>(nullptr));
    case DType::kQ8_0: return call(static_cast<const BlockQ8_0*>(nullptr));
    case DType::kQ4_K: return call(static_cast<const BlockQ4_K*>(nullptr));
    case DType::kQ5_K: return call(static_cast<const BlockQ5_K*>(nullptr));
    case DType::kQ6_K: return call(static_cast<const BlockQ6_K*>(nullptr));
    case DType::kF32: break;
  }
  return call(static_cast<const BlockF32*>(nullptr));
}

// A float32 weight as a matrix [rows, cols].
inline View<const float, 2> float_matrix(const Weight& weight) {
  assert(weight.dtype == DType::kF32);
  return {reinterpret_cast<const float*>(weight.data), {weight.rows, weight.cols}};
}

// Row r as float32. out has weight.cols elements.
void dequantize_row(const Weight& weight, Index r, std::span<float> out);

}  // namespace llm
