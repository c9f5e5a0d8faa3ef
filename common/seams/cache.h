// The key/value cache: what attention needs of the tokens that were seen before.
// Chapter 03 has the dynamic one, chapter 04 static, sliding, quantized and offloaded ones.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/base/error.h"
#include "common/seams/kv_block.h"
#include "common/seams/kv_memory.h"
#include "common/tensor/view.h"

namespace llm {

// New tokens of one row in a batch that was packed without its padding: rows [begin, begin + count) of the
// packed keys and values belong to the cache's row `row`.
struct RowTokens {
  Index row = 0;
  Index begin = 0;
  Index count = 0;
};

// One layer's keys and values. Rows are the sequences of a batch, each with a length of its own.
class CacheLayer {
 public:
  virtual ~CacheLayer() = default;

  // Appends. keys and values: [N, KH, Dh], N new tokens of all rows packed; every token in one element of
  // rows. Errors: kRange if the capacity of a preallocated layer is exceeded; then nothing is stored.
  virtual void update(View<const float, 3> keys, View<const float, 3> values,
                      std::span<const RowTokens> rows) = 0;

  // The stored tokens of a row, oldest first. One block for a dynamic or static layer, two for a ring or a
  // quantized one (codes and tail), many where prefixes are shared. Valid until the layer changes.
  virtual std::span<const KvBlock> blocks(Index row) const = 0;

  virtual Index num_rows() const = 0;

  // Tokens that the row has seen (a sliding layer stores fewer): the position of the next one.
  virtual Index get_seq_length(Index row) const = 0;

  // Forgets all but the first `length` tokens of a row.
  // Errors: kRange unless 0 <= length <= get_seq_length(row), or if a ring has lost a key that is needed.
  virtual void crop(Index row, Index length) = 0;

  // Throws what crop(row, length) would throw and changes nothing, so that a cache can ask all its layers
  // before the first one forgets anything. A layer that can lose keys refuses more than this one does.
  virtual void check_crop(Index row, Index length) const;

  // Row i becomes a copy of old row rows[i]; afterwards there are rows.size() rows. Rows may repeat or be
  // left out; copies go their own ways from here on. Errors: kRange; then nothing is changed.
  virtual void reorder(std::span<const Index> rows) = 0;

  // Appends `count` empty rows.
  virtual void add_rows(Index count) = 0;

  // Forgets all tokens; rows and memory stay.
  virtual void reset() = 0;

  // Fills an empty row with what a layer of the same kind showed in its blocks, so that this one then shows
  // the same to the bit: a quantized layer gets its codes back instead of quantizing twice, a ring knows
  // which tokens were lost. keys, values: [N, KH, Dh], the newest N of first_position + N tokens. Errors: as
  // update(); kRange if the layer cannot be without the older tokens.
  virtual void restore(Index row, Index first_position, View<const float, 3> keys,
                       View<const float, 3> values);

  // Moves the layer's data away from, or back to, where it is computed on. No effect unless it is offloaded.
  virtual void offload() {}
  virtual void prefetch() {}

  // Bytes allocated for keys, values and scales.
  virtual Index memory_bytes() const = 0;
};

inline void CacheLayer::check_crop(Index row, Index length) const {
  if (row < 0 || row >= num_rows())
    fail(ErrorCode::kRange, {.where = "cache",
                             .what = "row",
                             .got = std::to_string(row),
                             .expected = "0 to " + std::to_string(num_rows() - 1)});
  if (length < 0 || length > get_seq_length(row))
    fail(ErrorCode::kRange, {.where = "cache",
                             .what = "crop to a length of",
                             .got = std::to_string(length),
                             .expected = "0 to " + std::to_string(get_seq_length(row)) +
                                         ", the tokens of row " + std::to_string(row)});
}

inline void CacheLayer::restore(Index row, Index first_position, View<const float, 3> keys,
                                View<const float, 3> values) {
  if (first_position != 0)
    fail(ErrorCode::kRange, {.where = "cache",
                             .what = "the first tokens are not there:",
                             .got = "tokens from position " + std::to_string(first_position) + " on",
                             .expected = "all"});
  const RowTokens all{.row = row, .begin = 0, .count = keys.shape(0)};
  update(keys, values, {&all, 1});
}

// What a cache should be like. The same names as on the command line and in JSON.
struct CacheSpec {
  std::string cache = "dynamic";            // dynamic, static, sliding, int8, int4
  std::string cache_dtype = "f32";          // f32, bf16, f16: of what is not quantized
  bool offload = false;                     // only the current and the next layer resident
  Index num_rows = 1;                       // sequences
  std::optional<Index> max_cache_len = {};  // tokens a row, needed for static
  std::optional<Index> sliding_window = {};
  std::optional<Index> max_chunk = {};   // sliding: longest chunk or draft block that a crop may take back
  std::optional<Index> group_size = {};  // int8, int4: values that share a scale
  std::optional<Index> residual_length = {};  // int8, int4: recent tokens kept as cache_dtype
  KvMemory* memory = main_memory();           // where the layers' memory comes from; outlives the cache
};

// All layers of one model. An engine accepts only caches that it made.
class Cache {
 public:
  // maker: the engine, to be compared with only.
  explicit Cache(const void* maker) : maker_(maker) {}
  virtual ~Cache() = default;
  const void* maker() const { return maker_; }

  virtual Index num_layers() const = 0;
  virtual CacheLayer& layer(Index index) = 0;

  virtual Index num_rows() const = 0;
  virtual Index get_seq_length(Index row) const = 0;

  // On every layer alike: see CacheLayer. Nothing is changed if one of them would refuse. After a forward
  // pass that stopped early (ForwardOptions::num_layers) the later layers are shorter than the first, whose
  // length get_seq_length says; crop then shortens those that are longer, and a full pass needs equal ones
  // again.
  virtual void crop(Index row, Index length) = 0;
  virtual void reorder(std::span<const Index> rows) = 0;
  virtual void add_rows(Index count) = 0;
  virtual void reset() = 0;
  virtual Index memory_bytes() const = 0;

 private:
  const void* maker_;
};

}  // namespace llm
