#include "chapters/02_naive_loop/packed_batch.h"

#include <algorithm>
#include <string>

#include "common/base/error.h"
#include "common/io/tensor_entry.h"

namespace llm {
namespace {

template <class T, int R>
void expect_shape(const std::string& name, View<const T, R> view, const std::array<Index, R>& shape) {
  if (view.shape() == shape) return;
  fail(ErrorCode::kShape, {.where = "batch: " + name,
                           .what = "shape",
                           .got = shape_text(view.shape()),
                           .expected = shape_text(shape)});
}

std::string at(const char* name, Index row, Index column) {
  return std::string("batch: ") + name + "[" + std::to_string(row) + "][" + std::to_string(column) + "]";
}

void check_shapes(const Batch& batch, const ModelConfig& config, Index B, Index T) {
  const bool has_ids = batch.input_ids.data() != nullptr;
  const bool has_embeds = batch.inputs_embeds.data() != nullptr;
  if (has_ids == has_embeds)
    fail(ErrorCode::kUsage, {.where = "batch", .what = "needs either input_ids or inputs_embeds"});
  if (B == 0 || T == 0)
    fail(ErrorCode::kUsage,
         {.where = "batch", .what = "is empty", .remedy = "give it at least one token a row"});
  if (has_embeds) expect_shape<float, 3>("inputs_embeds", batch.inputs_embeds, {B, T, config.hidden_size});
  expect_shape<Index, 2>("position_ids", batch.position_ids, {B, T});
  if (batch.attention_mask.data() != nullptr)
    expect_shape<std::uint8_t, 2>("attention_mask", batch.attention_mask, {B, T});
  if (!batch.rows.empty() && static_cast<Index>(batch.rows.size()) != B)
    fail(ErrorCode::kShape, {.where = "batch: rows",
                             .what = "length",
                             .got = std::to_string(batch.rows.size()),
                             .expected = std::to_string(B)});
}

// The number of padded columns on the left of a row.
Index count_padding(const Batch& batch, Index b, Index T) {
  if (batch.attention_mask.data() == nullptr) return 0;
  const View<const std::uint8_t, 1> mask = batch.attention_mask[b];
  Index padding = 0;
  while (padding < T && mask[padding] == 0) ++padding;
  if (padding == T)
    fail(ErrorCode::kUsage, {.where = "batch: row " + std::to_string(b), .what = "is all padding"});
  for (Index t = padding; t < T; ++t)
    if (mask[t] == 0)
      fail(ErrorCode::kUnsupported, {.where = at("attention_mask", b, t),
                                     .what = "padding after a real token",
                                     .expected = "padding on the left only"});
  return padding;
}

void check_token(const Batch& batch, const ModelConfig& config, Index b, Index t) {
  if (batch.input_ids.data() != nullptr) {
    const Token id = batch.input_ids(b, t);
    if (id < 0 || id >= config.vocab_size)
      fail(ErrorCode::kRange,
           {.where = at("input_ids", b, t),
            .what = "token",
            .got = std::to_string(id),
            .expected = "0 to " + std::to_string(config.vocab_size - 1) + " (vocab_size)"});
  }
  const Index position = batch.position_ids(b, t);
  if (position < 0 || position >= config.max_position_embeddings)
    fail(ErrorCode::kRange, {.where = at("position_ids", b, t),
                             .what = "position",
                             .got = std::to_string(position),
                             .expected = "0 to " + std::to_string(config.max_position_embeddings - 1) +
                                         " (max_position_embeddings)",
                             .remedy = "shorten the text"});
}

void check_rows_differ(std::span<const Index> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (std::find(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(i), rows[i]) !=
        rows.begin() + static_cast<std::ptrdiff_t>(i))
      fail(ErrorCode::kUsage,
           {.where = "batch: rows", .what = "names cache row " + std::to_string(rows[i]) + " twice"});
}

}  // namespace

void pack(const Batch& batch, const ModelConfig& config, PackedBatch& packed) {
  const bool has_ids = batch.input_ids.data() != nullptr;
  const Index B = has_ids ? batch.input_ids.shape(0) : batch.inputs_embeds.shape(0);
  const Index T = has_ids ? batch.input_ids.shape(1) : batch.inputs_embeds.shape(1);
  check_shapes(batch, config, B, T);
  check_rows_differ(batch.rows);

  packed.B = B;
  packed.T = T;
  packed.rows.clear();
  packed.positions.clear();
  packed.ids.clear();
  packed.inputs_embeds = batch.inputs_embeds;
  for (Index b = 0; b < B; ++b) {
    const Index padding = count_padding(batch, b, T);
    packed.rows.push_back({.row = batch.rows.empty() ? b : batch.rows[static_cast<std::size_t>(b)],
                           .begin = static_cast<Index>(packed.positions.size()),
                           .count = T - padding});
    for (Index t = padding; t < T; ++t) {
      check_token(batch, config, b, t);
      packed.positions.push_back(batch.position_ids(b, t));
      if (has_ids) packed.ids.push_back(batch.input_ids(b, t));
    }
  }
  packed.N = static_cast<Index>(packed.positions.size());
}

void pack_rows(View<const float, 3> padded, const PackedBatch& packed, View<float, 2> out) {
  for (Index b = 0; b < packed.B; ++b) {
    const RowTokens& row = packed.rows[static_cast<std::size_t>(b)];
    for (Index i = 0; i < row.count; ++i)
      std::copy_n(padded[b][packed.column(b, i)].begin(), out.shape(1), out[row.begin + i].begin());
  }
}

// --8<-- [start:keep_last]
void keep_last(View<const float, 2> values, const PackedBatch& packed, Index K, View<float, 2> kept) {
  std::fill_n(kept.data(), kept.size(), 0.0f);
  for (Index b = 0; b < packed.B; ++b) {
    const RowTokens& row = packed.rows[static_cast<std::size_t>(b)];
    const Index count = std::min(K, row.count), first = row.begin + row.count - count;
    std::copy_n(values[first].begin(), count * kept.shape(1), kept[b * K + K - count].begin());
  }
}
// --8<-- [end:keep_last]

void unpack(View<const float, 2> values, const PackedBatch& packed, View<float, 3> out) {
  const Index D = values.shape(1);
  for (Index b = 0; b < packed.B; ++b) {
    const RowTokens& row = packed.rows[static_cast<std::size_t>(b)];
    for (Index t = 0; t < packed.T - row.count; ++t) std::fill_n(out[b][t].begin(), D, 0.0f);
    for (Index i = 0; i < row.count; ++i)
      std::copy_n(values[row.begin + i].begin(), D, out[b][packed.column(b, i)].begin());
  }
}

}  // namespace llm
