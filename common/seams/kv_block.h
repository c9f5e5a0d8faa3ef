// What attention reads: a run of cached keys and values, in whatever format the cache keeps them.
#pragma once

#include <cstddef>

#include "common/base/types.h"

namespace llm {

enum class Device { kCpu, kCuda };

// How one cached value is stored. The integer formats have a scale per group along head_dim.
enum class KvFormat { kF32, kF16, kBF16, kInt8, kInt4 };

// Keys or values of one row and one layer, shape [KH, length, Dh]. It is to a cache what Weight is to a
// matrix: not an owner, and the format is decided at run time. Dh values of one token and head lie one behind
// the other; the strides say where the next token and the next head begin. kInt4 has two values a byte, the
// first in the low half, each stored as its code plus 8 (codes -8 to 7).
struct KvView {
  KvFormat format = KvFormat::kF32;
  Device device = Device::kCpu;
  const std::byte* data = nullptr;
  Index head_stride_bytes = 0;
  Index token_stride_bytes = 0;

  // Integer formats only: value = scale * code, one scale a `group_size` values; strides count floats.
  const float* scales = nullptr;
  Index group_size = 0;
  Index scale_head_stride = 0;
  Index scale_token_stride = 0;

  // Where the values of (head, token) begin.
  const std::byte* at(Index head, Index token) const {
    return data + head * head_stride_bytes + token * token_stride_bytes;
  }
  const float* scales_at(Index head, Index token) const {
    return scales + head * scale_head_stride + token * scale_token_stride;
  }
};

// `length` consecutive tokens, the first of them at position `first_position` of its row.
struct KvBlock {
  KvView keys;
  KvView values;
  Index first_position = 0;
  Index length = 0;
};

}  // namespace llm
