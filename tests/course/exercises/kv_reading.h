// Keys and values without a pattern, and reading back where the layer says that they are.
#pragma once

#include <cstring>
#include <memory_resource>

#include "common/base/rng.h"
#include "common/seams/cache.h"
#include "common/tensor/float_convert.h"
#include "common/tensor/tensor.h"

namespace llm::grading {

// Small whole numbers, which all float formats hold exactly.
inline Tensor<float, 3> whole_numbers(Index N, Index KH, Index Dh, std::uint64_t seed) {
  Tensor<float, 3> values({N, KH, Dh});
  const RngKey key{.seed = seed, .sequence = 0, .position = 0, .purpose = RngPurpose::kTest};
  for (Index i = 0; i < values.size(); ++i)
    values.data()[i] =
        static_cast<float>(static_cast<int>(256 * uniform(key, static_cast<std::uint32_t>(i))) - 128);
  return values;
}

// What a view of f32 or bf16 numbers shows: [KH, length, Dh].
inline Tensor<float, 3> shown_numbers(const KvView& view, Index KH, Index length, Index Dh) {
  Tensor<float, 3> out({KH, length, Dh});
  for (Index head = 0; head < KH; ++head)
    for (Index i = 0; i < length; ++i)
      for (Index d = 0; d < Dh; ++d) {
        const std::byte* token = view.at(head, i);
        std::uint16_t half = 0;
        float value = 0;
        std::memcpy(&half, token + 2 * d, 2);
        if (view.format == KvFormat::kF32) std::memcpy(&value, token + 4 * d, 4);
        out(head, i, d) = view.format == KvFormat::kF32 ? value : bf16_to_float(half);
      }
  return out;
}

// Tokens of `from`, [N, KH, Dh], in the order of a cache: [KH, tokens, Dh].
inline Tensor<float, 3> by_heads(View<const float, 3> from, const std::vector<Index>& tokens) {
  Tensor<float, 3> out({from.shape(1), static_cast<Index>(tokens.size()), from.shape(2)});
  for (Index head = 0; head < out.shape(0); ++head)
    for (Index i = 0; i < out.shape(1); ++i)
      for (Index d = 0; d < out.shape(2); ++d)
        out(head, i, d) = from(tokens[static_cast<std::size_t>(i)], head, d);
  return out;
}

// Memory that is full of NaN, and notes what it was asked for.
class NaNMemory : public KvMemory {
 public:
  Index pieces = 0, bytes = 0;  // handed out so far, and in use now

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    ++pieces;
    bytes += static_cast<Index>(size);
    void* memory = main_memory()->allocate(size, alignment);
    std::memset(memory, 0xff, size);
    return memory;
  }
  void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
    bytes -= static_cast<Index>(size);
    main_memory()->deallocate(memory, size, alignment);
  }
  bool do_is_equal(const KvMemory& other) const noexcept override { return this == &other; }
};

}  // namespace llm::grading
