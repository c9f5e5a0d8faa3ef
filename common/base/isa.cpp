#include "common/base/isa.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "common/base/error.h"

namespace llm {
namespace {

constexpr std::array<std::pair<Isa, std::string_view>, 5> kNames = {{
    {Isa::kBaseline, "baseline"},
    {Isa::kAvx2, "avx2"},
    {Isa::kAvx512, "avx512"},
    {Isa::kAvx512Bf16, "avx512bf16"},
    {Isa::kNeon, "neon"},
}};

std::string list_names(const std::vector<Isa>& isas) {
  std::string text;
  for (const Isa isa : isas) text += (text.empty() ? "" : ", ") + std::string(isa_name(isa));
  return text;
}

Isa choose_isa() {
  const std::vector<Isa> available = available_isas();
  const char* wanted = std::getenv("NT_ISA");
  if (wanted == nullptr || *wanted == '\0') return available.back();
  const auto isa = isa_from_name(wanted);
  if (!isa) {
    fail(ErrorCode::kUsage, {.where = "NT_ISA",
                             .what = "unknown instruction set",
                             .got = "'" + std::string(wanted) + "'",
                             .expected = "one of " + list_names(available)});
  }
  if (std::find(available.begin(), available.end(), *isa) == available.end()) {
    fail(ErrorCode::kUnsupported, {.where = "NT_ISA",
                                   .what = "this machine does not have",
                                   .got = std::string(wanted),
                                   .expected = "one of " + list_names(available)});
  }
  return *isa;
}

}  // namespace

std::string_view isa_name(Isa isa) {
  for (const auto& [value, name] : kNames)
    if (value == isa) return name;
  return "unknown";
}

std::optional<Isa> isa_from_name(std::string_view name) {
  for (const auto& [value, known] : kNames)
    if (known == name) return value;
  return std::nullopt;
}

std::vector<Isa> available_isas() {
  std::vector<Isa> isas = {Isa::kBaseline};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isas.push_back(Isa::kAvx2);
  const bool avx512 = isas.back() == Isa::kAvx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq");
  if (avx512) isas.push_back(Isa::kAvx512);
  if (avx512 && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vnni"))
    isas.push_back(Isa::kAvx512Bf16);
#elif defined(__aarch64__)
  isas.push_back(Isa::kNeon);
#endif
  return isas;
}

Isa active_isa() {
  static const Isa isa = choose_isa();
  return isa;
}

}  // namespace llm
