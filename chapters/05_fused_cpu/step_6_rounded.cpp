#include "chapters/05_fused_cpu/step_6_rounded.h"

#include <algorithm>

#include "chapters/05_fused_cpu/code_formats.h"
#include "common/tensor/float_convert.h"

namespace llm {
namespace {

// At least `size` elements, the old ones lost if they have to move.
template <class T>
T* room_for(Tensor<T, 1>& tensor, Index size) {
  if (tensor.size() < size) tensor = Tensor<T, 1>({std::max(size, tensor.size() * 3 / 2)});
  return tensor.data();
}

}  // namespace

bool has_rounded_product(const Kernels& kernels, DType dtype) {
  return is_code_format(dtype) || (dtype == DType::kBF16 && kernels.product_bf16 != nullptr);
}

bool RoundedProducts::by_codes(const Weight& weight) const {
  return rounds(weight) && is_code_format(weight.dtype);
}

bool RoundedProducts::by_bf16(const Weight& weight) const {
  return rounds(weight) && !is_code_format(weight.dtype);
}

ProductInput RoundedProducts::prepare(View<const float, 2> x, std::span<const Weight* const> weights) {
  ProductInput input = OnlineAttention::prepare(x, weights);
  const Index N = x.shape(0), K = x.shape(1);
  if (std::ranges::any_of(weights, [&](const Weight* weight) { return by_codes(*weight); })) {
    CodeBlock* codes = room_for(codes_, N * (K / 32));
    each_row(N, K, [&](Index n) { kernels().quantize_x(x[n].begin(), K, codes + n * (K / 32)); });
    input.rows.codes = codes;
  }
  if (std::ranges::any_of(weights, [&](const Weight* weight) { return by_bf16(*weight); })) {
    const Index size = padded_size(K);
    std::uint16_t* bf16 = room_for(bf16_, N * size);
    each_row(N, K, [&](Index n) {
      std::ranges::transform(x[n], bf16 + n * size, float_to_bf16);
      std::fill_n(bf16 + n * size + K, size - K, std::uint16_t{0});
    });
    input.rows.bf16 = bf16;
  }
  return input;
}

SimdOperators::Product RoundedProducts::product_with(const Weight& weight) const {
  if (by_codes(weight)) return kernels().product_codes;
  return by_bf16(weight) ? kernels().product_bf16 : OnlineAttention::product_with(weight);
}

}  // namespace llm
