// Converting the matrices of a checkpoint into another number format.
#include <algorithm>
#include <vector>

#include "common/base/error.h"
#include "common/base/large_pages.h"
#include "common/base/parallel.h"
#include "common/io/checkpoint.h"
#include "common/tensor/quantize.h"

namespace llm {
namespace {

void check_target(DType dtype, const std::string& where) {
  if (can_quantize_to(dtype)) return;
  fail(ErrorCode::kUnsupported, {.where = where,
                                 .what = "weights cannot be converted to",
                                 .got = std::string(dtype_name(dtype)),
                                 .expected = "F32, F16, BF16, Q8_0 or Q4_0"});
}

}  // namespace

std::vector<std::string> Checkpoint::convert(DType dtype, const Progress& progress) {
  check_target(dtype, name_);
  std::vector<std::size_t> todo;
  std::vector<std::string> left_out;
  Index total = 0, size = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const TensorEntry& tensor = entries_[i].tensor;
    if (tensor.shape.size() != 2 || !tensor.dtype || slots_[i].dtype == dtype) continue;
    if (tensor.shape[1] % info(dtype).block_values != 0) {
      left_out.push_back(tensor.name);
      continue;
    }
    total += static_cast<Index>(slots_[i].bytes.size());
    size = LargeBlock::with_part(size, tensor.shape[0] * row_bytes(dtype, tensor.shape[1]));
    todo.push_back(i);
  }
  const auto block = std::make_shared<LargeBlock>(size);
  Index before = 0;
  for (const std::size_t i : todo) {
    const auto bytes = static_cast<Index>(slots_[i].bytes.size());
    convert_one(i, dtype, block, [&](Index rows_done, Index rows) {
      if (progress) progress(before + bytes / rows * rows_done, total);
    });
    before += bytes;
  }
  if (progress) progress(total, total);
  return left_out;
}

// A piece of the rows at a time, so that progress shows within a large embedding table and the pages of the
// original do not pile up.
void Checkpoint::convert_one(std::size_t i, DType dtype, const std::shared_ptr<LargeBlock>& block,
                             const Progress& progress) {
  constexpr Index kRowsAtOnce = 4096, kRowsPerTask = 16;
  const Index rows = entries_[i].tensor.shape[0], cols = entries_[i].tensor.shape[1];
  Slot& slot = slots_[i];
  prepare(i);
  const Weight source{.dtype = slot.dtype, .rows = rows, .cols = cols, .data = slot.bytes.data()};
  Weight target{.dtype = dtype, .rows = rows, .cols = cols};
  std::byte* const bytes = block->take(target.bytes());
  for (Index begin = 0; begin < rows; begin += kRowsAtOnce) {
    const Index end = std::min(begin + kRowsAtOnce, rows);
    parallel_for((end - begin + kRowsPerTask - 1) / kRowsPerTask, [&](Index task) {
      std::vector<float> values(static_cast<std::size_t>(cols));
      const Index first = begin + task * kRowsPerTask;
      for (Index r = first; r < std::min(first + kRowsPerTask, end); ++r) {
        dequantize_row(source, r, values);
        quantize_row(dtype, values, bytes + r * target.bytes_per_row());
      }
    });
    slot.release({source.row(begin), static_cast<std::size_t>((end - begin) * source.bytes_per_row())});
    progress(end, rows);
  }
  slot.copy = block;
  slot.bytes = {bytes, static_cast<std::size_t>(target.bytes())};
  slot.dtype = dtype;
  slot.file = nullptr;
}

}  // namespace llm
