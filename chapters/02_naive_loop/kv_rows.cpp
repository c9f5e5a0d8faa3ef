#include "chapters/02_naive_loop/kv_rows.h"

#include <cassert>
#include <cstdint>
#include <cstring>

#include "common/base/error.h"
#include "common/tensor/float_convert.h"

namespace llm {
namespace {

// [count, Dh] from 16-bit codes, which convert() turns into float32.
template <class F>
View<const float, 2> from_halves(const KvView& view, Index head, Index first, View<float, 2> rows,
                                 F convert) {
  for (Index i = 0; i < rows.shape(0); ++i) {
    const std::byte* codes = view.at(head, first + i);
    float* values = rows[i].begin();
    for (Index d = 0; d < rows.shape(1); ++d) {
      std::uint16_t code = 0;
      std::memcpy(&code, codes + 2 * d, sizeof(code));
      values[d] = convert(code);
    }
  }
  return rows;
}

// [count, Dh] from codes: unpack() turns those of one token and head into whole numbers, which are then
// multiplied by the scales of their groups.
template <class F>
View<const float, 2> from_codes(const KvView& view, Index head, Index first, View<float, 2> rows, F unpack) {
  assert(view.group_size > 0);
  const Index Dh = rows.shape(1);
  for (Index i = 0; i < rows.shape(0); ++i) {
    float* values = rows[i].begin();
    unpack(view.at(head, first + i), Dh, values);
    const float* scale = view.scales_at(head, first + i);
    for (Index begin = 0; begin < Dh; begin += view.group_size, ++scale)
      for (Index d = begin; d < begin + view.group_size; ++d) values[d] *= *scale;
  }
  return rows;
}

void unpack_int8(const std::byte* codes, Index count, float* values) {
  for (Index d = 0; d < count; ++d) values[d] = static_cast<float>(static_cast<std::int8_t>(codes[d]));
}

// Two codes a byte, each plus 8, the first in the low half.
void unpack_int4(const std::byte* codes, Index count, float* values) {
  for (Index d = 0; d < count; d += 2) {
    const int pair = std::to_integer<int>(codes[d / 2]);
    values[d] = static_cast<float>((pair & 15) - 8);
    values[d + 1] = static_cast<float>((pair >> 4) - 8);
  }
}

}  // namespace

View<const float, 2> kv_rows(const KvView& view, Index head, Index first, Index count, Index head_dim,
                             Buffer& scratch) {
  if (view.device != Device::kCpu)
    fail(ErrorCode::kUnsupported, {.where = "attention",
                                   .what = "cannot read keys and values",
                                   .got = "in the memory of a GPU",
                                   .expected = "host memory"});
  const auto rows = [&] { return scratch.matrix(count, head_dim); };
  switch (view.format) {
    case KvFormat::kF16: return from_halves(view, head, first, rows(), f16_to_float);
    case KvFormat::kBF16: return from_halves(view, head, first, rows(), bf16_to_float);
    case KvFormat::kInt8: return from_codes(view, head, first, rows(), unpack_int8);
    case KvFormat::kInt4: return from_codes(view, head, first, rows(), unpack_int4);
    case KvFormat::kF32: break;
  }
  const auto* values = reinterpret_cast<const float*>(view.at(head, first));
  return {values, {count, head_dim}, {view.token_stride_bytes / static_cast<Index>(sizeof(float)), 1}};
}

KvView kv_view(View<const float, 3> values) {
  KvView view;
  view.data = reinterpret_cast<const std::byte*>(values.data());
  view.head_stride_bytes = values.stride(1) * static_cast<Index>(sizeof(float));
  view.token_stride_bytes = values.stride(0) * static_cast<Index>(sizeof(float));
  return view;
}

}  // namespace llm
