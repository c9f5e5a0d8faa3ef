// The number formats of weights: plain floats, and GGUF's blocks.
#pragma once

#include <optional>
#include <string_view>

#include "common/base/types.h"

namespace llm {

enum class DType { kF32, kF16, kBF16, kQ4_0, kQ4_1, kQ5_0, kQ5_1, kQ8_0, kQ4_K, kQ5_K, kQ6_K };

inline constexpr int kNumDTypes = 11;

// What a format is: `block_values` values share one block of `block_bytes` bytes (1 value for plain floats).
struct DTypeInfo {
  DType dtype;
  std::string_view name;  // "F32", "Q4_0", ...: as safetensors and GGUF spell it
  Index block_values;
  Index block_bytes;
};

const DTypeInfo& info(DType dtype);
inline std::string_view dtype_name(DType dtype) { return info(dtype).name; }

// By name, in either case ("bf16", "BF16"); nothing for an unknown one.
std::optional<DType> dtype_from_name(std::string_view name);

// The bytes of a row of `values` values. The caller has checked that values is a multiple of block_values.
inline Index row_bytes(DType dtype, Index values) {
  return values / info(dtype).block_values * info(dtype).block_bytes;
}

}  // namespace llm
