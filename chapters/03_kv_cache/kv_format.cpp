#include "chapters/03_kv_cache/kv_format.h"

#include <array>
#include <cassert>
#include <cstring>
#include <string>

#include "common/base/error.h"
#include "common/tensor/float_convert.h"

namespace llm {
namespace {

struct FloatFormat {
  KvFormat format;
  std::string_view name;
  Index bytes;
};
constexpr std::array<FloatFormat, 3> kFormats = {
    {{KvFormat::kF32, "f32", 4}, {KvFormat::kBF16, "bf16", 2}, {KvFormat::kF16, "f16", 2}}};

const FloatFormat& info(KvFormat format) {
  for (const FloatFormat& known : kFormats)
    if (known.format == format) return known;
  assert(false && "no float format");
  return kFormats[0];
}

// 16-bit codes are copied byte-wise: nothing says that they are aligned.
template <class F>
void store_halves(std::span<const float> values, std::byte* to, F convert) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t code = convert(values[i]);
    std::memcpy(to + 2 * i, &code, 2);
  }
}

}  // namespace

KvFormat float_kv_format(std::string_view cache_dtype) {
  for (const FloatFormat& known : kFormats)
    if (known.name == cache_dtype) return known.format;
  fail(ErrorCode::kUsage, {.where = "cache_dtype",
                           .what = "got",
                           .got = "'" + std::string(cache_dtype) + "'",
                           .expected = "f32, bf16 or f16"});
}

std::string_view kv_format_name(KvFormat format) { return info(format).name; }

Index kv_value_bytes(KvFormat format) { return info(format).bytes; }

void store_values(std::span<const float> values, KvFormat format, std::byte* to) {
  if (format == KvFormat::kF32) std::memcpy(to, values.data(), values.size_bytes());
  if (format == KvFormat::kBF16) store_halves(values, to, float_to_bf16);
  if (format == KvFormat::kF16) store_halves(values, to, float_to_f16);
}

}  // namespace llm
