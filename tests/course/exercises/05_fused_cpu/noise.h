// Numbers without a pattern, the same on every machine.
#pragma once

#include "common/base/rng.h"
#include "common/tensor/tensor.h"

namespace llm::grading {

// Between -1 and 1.
inline float noise(std::uint64_t seed, Index i) {
  const RngKey key{.seed = seed, .sequence = 0, .position = 0, .purpose = RngPurpose::kTest};
  return static_cast<float>(2 * uniform(key, static_cast<std::uint32_t>(i)) - 1);
}

// middle + noise * size.
template <int R>
Tensor<float, R> noise_tensor(const typename View<float, R>::Shape& shape, std::uint64_t seed,
                              float middle = 0, float size = 1) {
  Tensor<float, R> values(shape);
  for (Index i = 0; i < values.size(); ++i) values.data()[i] = middle + size * noise(seed, i);
  return values;
}

}  // namespace llm::grading
