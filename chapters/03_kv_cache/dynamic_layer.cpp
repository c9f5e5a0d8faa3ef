#include "chapters/03_kv_cache/dynamic_layer.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "chapters/02_naive_loop/each_row.h"
#include "chapters/03_kv_cache/cache_kinds.h"
#include "chapters/03_kv_cache/kv_format.h"
#include "common/base/error.h"
#include "common/io/tensor_entry.h"

namespace llm {

Index KvShape::token_bytes() const { return num_key_value_heads * head_dim * kv_value_bytes(format); }

DynamicLayer::DynamicLayer(const KvShape& shape, Index num_rows, KvMemory* memory)
    : shape_(shape), memory_(memory) {
  add_rows(num_rows);
}

std::size_t DynamicLayer::check_row(Index row) const {
  if (row < 0 || row >= num_rows())
    fail(ErrorCode::kRange, {.where = "dynamic cache",
                             .what = "row",
                             .got = std::to_string(row),
                             .expected = "0 to " + std::to_string(num_rows() - 1)});
  return static_cast<std::size_t>(row);
}

// --8<-- [start:update]
void DynamicLayer::update(View<const float, 3> keys, View<const float, 3> values,
                          std::span<const RowTokens> rows) {
  for (const View<const float, 3>& view : {keys, values})
    if (view.shape(1) != shape_.num_key_value_heads || view.shape(2) != shape_.head_dim ||
        view.shape(0) != keys.shape(0))
      fail(ErrorCode::kShape, {.where = "dynamic cache",
                               .what = "keys and values of shape",
                               .got = shape_text(keys.shape()) + " and " + shape_text(values.shape()),
                               .expected = "[N," + std::to_string(shape_.num_key_value_heads) + "," +
                                           std::to_string(shape_.head_dim) + "] each"});
  for (const RowTokens& tokens : rows) {  // all memory first: an error leaves everything as it was
    Row& row = rows_[check_row(tokens.row)];
    Index needed = row.length();
    for (const RowTokens& other : rows)
      if (other.row == tokens.row) needed += other.count;
    reserve(row, needed);
  }
  for (const RowTokens& tokens : rows) append(rows_[check_row(tokens.row)], keys, values, tokens);
}
// --8<-- [end:update]

// --8<-- [start:reserve]
// Grows by half at least: a text of n tokens is copied about log(n) times, not n times.
void DynamicLayer::reserve(Row& row, Index tokens) {
  if (tokens <= row.capacity) return;
  if (row.capacity == 0) {  // a prompt gets what it needs
    row = make_row(tokens);
    return;
  }
  // --8<-- [start:ex03-3]
  Row larger = make_row(std::max(tokens, row.capacity + row.capacity / 2));
  copy_tokens(row, larger);
  moved_bytes_ += 2 * row.length() * shape_.token_bytes();
  row = std::move(larger);
  // --8<-- [end:ex03-3]
}
// --8<-- [end:reserve]

DynamicLayer::Row DynamicLayer::make_row(Index capacity) const {
  Row row;
  row.keys = KvBuffer(capacity * shape_.token_bytes(), memory_);
  row.values = KvBuffer(capacity * shape_.token_bytes(), memory_);
  row.capacity = capacity;
  const Index value_bytes = shape_.head_dim * kv_value_bytes(shape_.format);  // of one head's token
  for (auto [view, memory] : {std::pair(&row.block.keys, &row.keys), {&row.block.values, &row.values}}) {
    view->format = shape_.format;
    view->data = memory->data();
    view->token_stride_bytes = value_bytes;
    view->head_stride_bytes = value_bytes * capacity;
  }
  return row;
}

// `to` has room for them, and may have another capacity. Long texts are copied by all threads.
void DynamicLayer::copy_tokens(const Row& from, Row& to) const {
  const Index bytes = from.length() * from.block.keys.token_stride_bytes;  // of one head
  each_row(2 * shape_.num_key_value_heads, bytes / 4, [&](Index i) {
    const Index from_head = i / 2 * from.block.keys.head_stride_bytes;
    const Index to_head = i / 2 * to.block.keys.head_stride_bytes;
    const KvBuffer& source = i % 2 == 0 ? from.keys : from.values;
    const KvBuffer& target = i % 2 == 0 ? to.keys : to.values;
    if (bytes > 0)
      std::memcpy(target.data() + to_head, source.data() + from_head, static_cast<std::size_t>(bytes));
  });
  to.block.length = from.length();
}

void DynamicLayer::append(Row& row, View<const float, 3> keys, View<const float, 3> values,
                          const RowTokens& tokens) {
  // --8<-- [start:ex03-2]
  const auto head_dim = static_cast<std::size_t>(shape_.head_dim);
  for (Index i = 0; i < tokens.count; ++i) {
    for (Index head = 0; head < shape_.num_key_value_heads; ++head) {
      const Index slot =
          head * row.block.keys.head_stride_bytes + row.block.length * row.block.keys.token_stride_bytes;
      store_values({keys[tokens.begin + i][head].begin(), head_dim}, shape_.format, row.keys.data() + slot);
      store_values({values[tokens.begin + i][head].begin(), head_dim}, shape_.format,
                   row.values.data() + slot);
    }
    ++row.block.length;
  }
  // --8<-- [end:ex03-2]
}

std::span<const KvBlock> DynamicLayer::blocks(Index row) const {
  const Row& r = rows_[check_row(row)];
  return {&r.block, r.length() > 0 ? std::size_t{1} : 0};
}

// length: of what remains. The memory stays for the next tokens.
void DynamicLayer::crop(Index row, Index length) {
  check_crop(row, length);
  rows_[check_row(row)].block.length = length;
}

// Copies are made while the old rows are still whole, and as tight as they can be; the last one to ask for a
// row gets the row itself.
void DynamicLayer::reorder(std::span<const Index> rows) {
  std::vector<std::size_t> last_use(rows_.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) last_use[check_row(rows[i])] = i;
  std::vector<Row> reordered(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& from = rows_[check_row(rows[i])];
    if (last_use[check_row(rows[i])] == i) continue;
    reordered[i] = make_row(from.length());
    copy_tokens(from, reordered[i]);
  }
  for (std::size_t old = 0; old < rows_.size(); ++old)
    if (last_use[old] < rows.size()) reordered[last_use[old]] = std::move(rows_[old]);
  rows_ = std::move(reordered);
}

void DynamicLayer::add_rows(Index count) {
  for (Index i = 0; i < count; ++i) rows_.push_back(make_row(0));
}

void DynamicLayer::reset() {
  for (Row& row : rows_) row.block.length = 0;
}

Index DynamicLayer::memory_bytes() const {
  Index sum = 0;
  for (const Row& row : rows_) sum += row.keys.bytes() + row.values.bytes();
  return sum;
}

Index DynamicLayer::reserved_tokens() const {
  Index sum = 0;
  for (const Row& row : rows_) sum += row.capacity;
  return sum;
}

void DynamicLayer::poison_spare() {
  for (Row& row : rows_)
    for (Index head = 0; head < shape_.num_key_value_heads && row.capacity > 0; ++head) {
      const KvView& view = row.block.keys;
      const Index first = head * view.head_stride_bytes + row.length() * view.token_stride_bytes;
      const auto bytes = static_cast<std::size_t>((row.capacity - row.length()) * view.token_stride_bytes);
      for (auto* memory : {&row.keys, &row.values})  // all bits set is NaN in all three formats
        std::memset(memory->data() + first, 0xff, bytes);
    }
}

const CacheKind kDynamicCacheKind = {
    .name = "dynamic",
    .check = [](const ModelConfig&, const CacheSpec& spec) { (void)float_kv_format(spec.cache_dtype); },
    .make_layer = [](const ModelConfig& config, const CacheSpec& spec, Index,
                     Index num_rows) -> std::unique_ptr<CacheLayer> {
      const KvShape shape = {config.num_key_value_heads, config.head_dim, float_kv_format(spec.cache_dtype)};
      return std::make_unique<DynamicLayer>(shape, num_rows, spec.memory);
    },
    .layer_bytes = [](const ModelConfig& config, const CacheSpec& spec, Index, Index tokens) -> Index {
      // --8<-- [start:ex03-1]
      const Index value_bytes = kv_value_bytes(float_kv_format(spec.cache_dtype));
      const Index token_values = config.num_key_value_heads * config.head_dim;
      return 2 * tokens * token_values * value_bytes;  // keys and values
      // --8<-- [end:ex03-1]
    }};

}  // namespace llm
