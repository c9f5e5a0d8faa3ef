// The float formats that cached keys and values may have.
#pragma once

#include <span>
#include <string_view>

#include "common/seams/kv_block.h"

namespace llm {

// The value of --cache-dtype: f32, bf16 or f16. Errors: kUsage for any other.
KvFormat float_kv_format(std::string_view cache_dtype);

// "f32", "bf16", "f16". Only for the float formats; so below.
std::string_view kv_format_name(KvFormat format);

// Bytes of one value: 4 or 2.
Index kv_value_bytes(KvFormat format);

// Writes values in the format, rounded to the nearest (ties to even) where it has fewer bits.
// to: room for values.size() * kv_value_bytes(format) bytes.
void store_values(std::span<const float> values, KvFormat format, std::byte* to);

}  // namespace llm
