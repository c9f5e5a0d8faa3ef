#include "chapters/05_fused_cpu/ladder_steps.h"

#include <string>

#include "chapters/05_fused_cpu/step_8_int8_cache.h"
#include "common/base/error.h"

namespace llm {
namespace {

template <class Step>
std::unique_ptr<Operators> make(const FusedOptions& options) {
  return std::make_unique<Step>(options);
}

// --8<-- [start:table]
constexpr LadderStep kSteps[] = {
    {3, "SIMD dot products", make<SimdOperators>}, {4, "fusion", make<FusedOperators>},
    {5, "online softmax", make<OnlineAttention>},  {6, "rounded products", make<RoundedProducts>},
    {7, "packed prefill", make<PackedPrefill>},    {8, "INT8 cache in place", make<Int8CacheAttention>},
};
// --8<-- [end:table]

}  // namespace

std::span<const LadderStep> ladder_steps() { return kSteps; }

std::unique_ptr<Operators> make_operators(const FusedOptions& options) {
  return std::rbegin(kSteps)->make(options);
}

Compute parse_compute(std::string_view text) {
  if (text == "exact") return Compute::kExact;
  if (text == "fast") return Compute::kFast;
  fail(ErrorCode::kUsage, {.where = "--compute",
                           .what = "unknown",
                           .got = "'" + std::string(text) + "'",
                           .expected = "exact or fast"});
}

}  // namespace llm
