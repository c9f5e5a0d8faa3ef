#include "common/tensor/dtype.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace llm {
namespace {

constexpr std::array<DTypeInfo, kNumDTypes> kInfos = {{
    {DType::kF32, "F32", 1, 4},
    {DType::kF16, "F16", 1, 2},
    {DType::kBF16, "BF16", 1, 2},
    {DType::kQ4_0, "Q4_0", 32, 18},
    {DType::kQ4_1, "Q4_1", 32, 20},
    {DType::kQ5_0, "Q5_0", 32, 22},
    {DType::kQ5_1, "Q5_1", 32, 24},
    {DType::kQ8_0, "Q8_0", 32, 34},
    {DType::kQ4_K, "Q4_K", 256, 144},
    {DType::kQ5_K, "Q5_K", 256, 176},
    {DType::kQ6_K, "Q6_K", 256, 210},
}};

char upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

}  // namespace

const DTypeInfo& info(DType dtype) { return kInfos[static_cast<size_t>(dtype)]; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeInfo& entry : kInfos) {
    if (std::equal(name.begin(), name.end(), entry.name.begin(), entry.name.end(),
                   [](char a, char b) { return upper(a) == b; }))
      return entry.dtype;
  }
  return std::nullopt;
}

}  // namespace llm
