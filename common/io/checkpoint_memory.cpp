// Where a checkpoint's bytes are: in the mapped file, or in memory of their own.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "common/base/parallel.h"
#include "common/io/checkpoint.h"

namespace llm {
namespace {

Index alignment_of(DType dtype) { return dtype == DType::kF32 ? 4 : 2; }

bool is_aligned(const std::byte* data, DType dtype) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(alignment_of(dtype)) == 0;
}

// The row of Hugging Face's matrix that row r of a llama GGUF's q or k projection is. Hugging Face's rotary
// embedding pairs slot i of a head with slot i + rows_per_head / 2; GGUF files have the pairs side by side.
Index row_in_hugging_face_order(Index r, Index rows_per_head) {
  const Index head = r / rows_per_head, slot = r % rows_per_head;
  return head * rows_per_head + slot % 2 * (rows_per_head / 2) + slot / 2;
}

// heads: that `rows` rows are interleaved in.
void copy_in_order(std::span<const std::byte> from, Index rows, Index heads, std::byte* to) {
  const std::size_t row_size = from.size() / static_cast<std::size_t>(rows);
  parallel_for(rows, [&](Index r) {
    const Index target = row_in_hugging_face_order(r, rows / heads);
    std::memcpy(to + static_cast<std::size_t>(target) * row_size,
                from.data() + static_cast<std::size_t>(r) * row_size, row_size);
  });
}

// What one thread copies at a time: a piece of a tensor, or all of one whose rows change their order.
struct Piece {
  const MappedFile* file;
  std::span<const std::byte> from;
  std::byte* to;
  Index rows, heads;  // heads: 0 if the rows stay in their order
};

// The pages of the file are given up on the way. The system fetches the neighbours of a page that is touched,
// too, also those that are done with: at the end of a group of pieces they go as well.
void copy_pieces(std::span<const Piece> pieces, Index total, const Progress& progress) {
  constexpr std::size_t kAtOnce = 64;
  Index done = 0;
  for (std::size_t first = 0; first < pieces.size(); first += kAtOnce) {
    const auto group = pieces.subspan(first, std::min(kAtOnce, pieces.size() - first));
    parallel_for(std::ssize(group), [&](Index i) {
      const Piece& piece = group[static_cast<std::size_t>(i)];
      if (piece.heads > 0) {
        copy_in_order(piece.from, piece.rows, piece.heads, piece.to);
      } else {
        std::memcpy(piece.to, piece.from.data(), piece.from.size());
      }
      piece.file->release(piece.from);
    });
    const MappedFile* file = nullptr;
    for (const Piece& piece : group) {
      done += static_cast<Index>(piece.from.size());
      if (std::exchange(file, piece.file) != piece.file) file->release(file->bytes());
    }
    if (progress) progress(done, total);
  }
}

}  // namespace

void Checkpoint::Slot::release(std::span<const std::byte> part) const {
  if (copy) {
    copy->release(part);
  } else {
    file->release(part);
  }
}

// Copies the bytes where they cannot be used in place.
void Checkpoint::prepare(std::size_t i) {
  Slot& slot = slots_[i];
  const bool reorder = slot.interleaved_heads > 0;
  if (!reorder && is_aligned(slot.bytes.data(), slot.dtype)) return;
  const auto bytes = static_cast<Index>(slot.bytes.size());
  const auto block = std::make_shared<LargeBlock>(bytes);
  std::byte* const to = block->take(bytes);
  if (reorder) {
    copy_in_order(slot.bytes, entries_[i].tensor.shape[0], slot.interleaved_heads, to);
  } else {
    std::memcpy(to, slot.bytes.data(), slot.bytes.size());
  }
  slot.release(slot.bytes);
  slot.file = nullptr;
  slot.copy = block;
  slot.bytes = {to, slot.bytes.size()};
  slot.interleaved_heads = 0;
}

void Checkpoint::load_into_memory(const Progress& progress) {
  constexpr std::size_t kPieceSize = 1 << 20;
  std::vector<std::size_t> todo;
  Index total = 0, size = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const TensorEntry& tensor = entries_[i].tensor;
    if (slots_[i].copy || !tensor.dtype || tensor.shape.empty() || tensor.shape.size() > 2) continue;
    todo.push_back(i);
    total += tensor.bytes;
    size = LargeBlock::with_part(size, tensor.bytes);
  }
  if (todo.empty()) return;

  const auto block = std::make_shared<LargeBlock>(size);
  std::vector<std::byte*> places;
  std::vector<Piece> pieces;
  for (const std::size_t i : todo) {
    const Slot& slot = slots_[i];
    const Index rows = entries_[i].tensor.shape[0], heads = slot.interleaved_heads;
    std::byte* const to = places.emplace_back(block->take(entries_[i].tensor.bytes));
    const std::size_t bytes = slot.bytes.size(), step = heads > 0 ? bytes : kPieceSize;
    for (std::size_t k = 0; k < bytes; k += step) {
      const auto from = slot.bytes.subspan(k, std::min(step, bytes - k));
      pieces.push_back({.file = slot.file.get(), .from = from, .to = to + k, .rows = rows, .heads = heads});
    }
  }
  copy_pieces(pieces, total, progress);
  for (std::size_t k = 0; k < todo.size(); ++k) {
    Slot& slot = slots_[todo[k]];  // its file stays open: weights may have been handed out
    slot.copy = block;
    slot.bytes = {places[k], slot.bytes.size()};
    slot.interleaved_heads = 0;
  }
}

}  // namespace llm
