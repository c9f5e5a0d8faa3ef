#include "chapters/05_fused_cpu/kernels.h"

#include <algorithm>
#include <string>

#include "chapters/05_fused_cpu/kernel_parts.h"
#include "common/base/error.h"

namespace llm {
namespace {

// The kernels that every instruction set has; those for rounded numbers are named one by one.
#define LLM_KERNELS(name, set, code_product, bf16_product)                                                   \
  {                                                                                                          \
    .isa = name, .tile_rows = set::kProductTileRows, .product = set::product, .product_codes = code_product, \
    .quantize_x = set::quantize_x, .product_bf16 = bf16_product, .scores = set::attention_scores,            \
    .add_values = set::attention_values, .exponentials = set::exponentials, .rms_norm = set::rms_norm,       \
    .swiglu = set::swiglu                                                                                    \
  }

}  // namespace

void pack_rows(const Kernels& kernels, View<const float, 2> x, Index tile, float* to) {
  constexpr Index kStep = 32;
  const Index K = x.shape(1), begin = tile * kernels.tile_rows;
  const Index count = std::min(kernels.tile_rows, x.shape(0) - begin);
  to += begin * padded_size(K);
  for (Index k = 0; k < K; k += kStep, to += kernels.tile_rows * kStep) {
    const Index size = std::min(kStep, K - k);
    for (Index c = 0; c < count; ++c) {
      std::copy_n(x[begin + c].begin() + k, size, to + c * kStep);
      std::fill_n(to + c * kStep + size, kStep - size, 0.0f);
    }
  }
}

const Kernels& kernels_for(Isa isa) {
  static const std::vector<Isa> available = available_isas();
  if (std::ranges::count(available, isa) == 0)
    fail(ErrorCode::kUnsupported, {.where = "kernels",
                                   .what = "this machine does not have",
                                   .got = std::string(isa_name(isa)),
                                   .remedy = "use active_isa()"});
  static const Kernels kKernels[] = {
#if defined(__x86_64__)
    LLM_KERNELS(Isa::kAvx512Bf16, avx512, avx512bf16::product_codes, avx512bf16::product_bf16),
    LLM_KERNELS(Isa::kAvx512, avx512, avx2::product_codes, nullptr),
    LLM_KERNELS(Isa::kAvx2, avx2, avx2::product_codes, nullptr),
#elif defined(__aarch64__)
    LLM_KERNELS(Isa::kNeon, neon, neon::product_codes, nullptr),
#endif
    LLM_KERNELS(Isa::kBaseline, baseline, baseline::product_codes, nullptr),
  };
  return *std::ranges::find_if(kKernels, [&](const Kernels& kernels) { return kernels.isa <= isa; });
}

}  // namespace llm
