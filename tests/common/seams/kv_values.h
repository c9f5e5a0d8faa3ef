// Reads single values out of a KvView: slow, and written apart from any engine's reader.
#pragma once

#include <cstring>

#include "common/seams/kv_block.h"
#include "common/tensor/float_convert.h"

namespace llm::test {

// Value d of a head and token, as float32. The view must be in host memory.
inline float kv_value(const KvView& view, Index head, Index token, Index d) {
  const std::byte* values = view.at(head, token);
  const auto read = [&]<class T>(T zero) {
    std::memcpy(&zero, values + d * static_cast<Index>(sizeof(T)), sizeof(T));
    return zero;
  };
  const auto scaled = [&](int code) {
    return view.scales_at(head, token)[d / view.group_size] * static_cast<float>(code);
  };
  switch (view.format) {
    case KvFormat::kF16: return f16_to_float(read(std::uint16_t{0}));
    case KvFormat::kBF16: return bf16_to_float(read(std::uint16_t{0}));
    case KvFormat::kInt8: return scaled(read(std::int8_t{0}));
    case KvFormat::kInt4: {
      const int pair = std::to_integer<int>(values[d / 2]);
      return scaled((d % 2 == 0 ? pair & 15 : pair >> 4) - 8);
    }
    case KvFormat::kF32: break;
  }
  return read(0.0f);
}

}  // namespace llm::test
