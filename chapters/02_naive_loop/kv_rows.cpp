#include "chapters/02_naive_loop/kv_rows.h"

#include <string_view>

#include "common/base/error.h"

namespace llm {
namespace {

std::string_view format_name(KvFormat format) {
  constexpr std::string_view kNames[] = {"f32", "f16", "bf16", "int8", "int4"};
  return kNames[static_cast<int>(format)];
}

}  // namespace

View<const float, 2> kv_rows(const KvView& view, Index head, Index first, Index count, Index head_dim,
                             Buffer& scratch) {
  (void)scratch;
  constexpr Index kFloatBytes = sizeof(float);
  if (view.device == Device::kCpu && view.format == KvFormat::kF32) {
    const auto* values = reinterpret_cast<const float*>(view.at(head, first));
    return {values, {count, head_dim}, {view.token_stride_bytes / kFloatBytes, 1}};
  }
  fail(ErrorCode::kUnsupported, {.where = "attention",
                                 .what = "cannot read keys and values of format",
                                 .got = std::string(format_name(view.format)),
                                 .expected = "f32 in host memory"});
}

KvView kv_view(View<const float, 3> values) {
  KvView view;
  view.data = reinterpret_cast<const std::byte*>(values.data());
  view.head_stride_bytes = values.stride(1) * static_cast<Index>(sizeof(float));
  view.token_stride_bytes = values.stride(0) * static_cast<Index>(sizeof(float));
  return view;
}

}  // namespace llm
