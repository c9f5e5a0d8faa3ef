// Keys and values as int8 or int4 codes; the newest tokens stay as they are.
#pragma once

#include <array>
#include <optional>

#include "chapters/02_naive_loop/buffer.h"
#include "chapters/04_preallocated_cache/kv_slots.h"
#include "chapters/04_preallocated_cache/rows_layer.h"

namespace llm {

inline constexpr Index kLargestGroup = 256;

struct QuantizedSizes {
  KvFormat format = KvFormat::kInt8;        // kInt8 or kInt4
  Index group_size = 64;                    // values of one head and token that share a scale: divides Dh
  Index residual_length = 128;              // newest tokens that are not quantized
  std::optional<Index> max_cache_len = {};  // if given: all memory at once, and more tokens are an error

  // Tokens that are codes when a row has `tokens` tokens.
  Index quantized(Index tokens) const;
  // Slots for the others: some more than residual_length, so that they need not move at every step.
  Index tail_slots() const;
};

enum class KvPart { kKeys, kValues };

// The codes of a number of tokens, [KH, slots, Dh], and their scales, [KH, slots, Dh / group_size].
class KvCodes {
 public:
  KvCodes() = default;
  KvCodes(const KvShape& shape, const QuantizedSizes& sizes, Index slots, KvMemory* memory);

  static Index memory_bytes(const KvShape& shape, const QuantizedSizes& sizes, Index slots);
  Index memory_bytes() const { return buffer_.bytes(); }
  Index size() const { return slots_; }

  // Quantizes the first `count` tokens of a block into the slots from `slot` on.
  void store(const KvBlock& from, Index count, Index slot, Buffer& scratch);
  // The first `count` slots as they are in another KvCodes of this shape: nothing is quantized twice.
  void copy(const KvCodes& from, Index count);
  // The first `count` slots.
  KvBlock block(Index count) const;

 private:
  Index head_bytes() const;   // of a token's codes for one head
  Index head_scales() const;  // and how many scales they have
  float* scales(KvPart part) const;
  std::byte* codes(KvPart part) const;
  void store_head(View<const float, 2> tokens, KvPart part, Index head, Index slot);
  KvView view(KvPart part) const;

  KvShape shape_;
  QuantizedSizes sizes_;
  Index slots_ = 0;
  KvBuffer buffer_;  // scales of keys, scales of values, codes of keys, codes of values
};

// Tokens enter the tail, in the format of `shape`; the oldest of more than residual_length become codes, one
// by one and once only. So codes do not depend on how a text was cut into chunks, and crop is exact: taking
// back more than the tail holds drops codes, those that remain are as they were, and new tokens begin a new
// tail behind them.
class QuantizedRow {
 public:
  QuantizedRow(const KvShape& shape, const QuantizedSizes& sizes, KvMemory* memory);

  // What `tokens` tokens need: all that is allocated if it is known beforehand that they will be as many.
  static Index memory_bytes(const KvShape& shape, const QuantizedSizes& sizes, Index tokens);

  Index length() const { return num_codes_ + tail_length_; }
  void reserve(Index count);
  void append(View<const float, 3> keys, View<const float, 3> values, const RowTokens& tokens);
  // Dequantized codes become the same codes again: see quantize_group().
  void restore(Index first_position, View<const float, 3> keys, View<const float, 3> values);
  void check_crop(Index) const {}
  void crop(Index length);
  void clear() { crop(0); }
  void reserve_copy(const QuantizedRow& other) { reserve_codes(other.num_codes_); }
  void copy(const QuantizedRow& other);
  std::span<const KvBlock> blocks() const { return {blocks_.data(), num_blocks_}; }
  Index memory_bytes() const { return codes_.memory_bytes() + tail_.memory_bytes(); }

 private:
  void reserve_codes(Index slots);
  void quantize_oldest(Index count);
  void show();

  KvShape shape_;
  QuantizedSizes sizes_;
  KvMemory* memory_;
  KvCodes codes_;
  Index num_codes_ = 0;  // tokens
  KvSlots tail_;
  Index tail_begin_ = 0, tail_length_ = 0;
  Buffer scratch_;  // a few tokens as float32
  std::array<KvBlock, 2> blocks_;
  std::size_t num_blocks_ = 0;
};

// Source: Liu et al. 2024 (KIVI: a residual of full precision); transformers' QuantizedLayer, which has 4
// bits by default, groups along head_dim too, and quantizes all again when its tail is full.
class QuantizedLayer : public RowsLayer<QuantizedRow> {
 public:
  QuantizedLayer(Index num_rows, const KvShape& shape, const QuantizedSizes& sizes,
                 KvMemory* memory = main_memory())
      : RowsLayer(num_rows, shape, [=] { return QuantizedRow(shape, sizes, memory); }) {}
};

}  // namespace llm
