// A checkpoint of random weights.
#include <algorithm>
#include <cstring>

#include "common/base/checked.h"
#include "common/base/error.h"
#include "common/base/large_pages.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/io/checkpoint.h"
#include "common/tensor/blocks.h"

namespace llm {
namespace {

constexpr float kStandardDeviation = 0.02f;

// The sum of the four bytes of a random word is close to normally distributed (Irwin-Hall), with mean 510 and
// variance 4 * (256^2 - 1) / 12, and costs no more than three additions.
float normal_from_word(std::uint32_t word) {
  constexpr float kMean = 510.0f, kDeviation = 147.80054f;
  const std::uint32_t pairs = (word & 0x00ff00ffu) + (word >> 8 & 0x00ff00ffu);
  const auto sum = static_cast<float>((pairs & 0xffffu) + (pairs >> 16));
  return (sum - kMean) * (kStandardDeviation / kDeviation);
}

void fill_row(RngKey key, std::span<BlockBF16> row) {
  for (std::size_t i = 0; i < row.size(); i += 4) {
    const auto words = random_words(key, static_cast<std::uint32_t>(i / 4));
    const std::size_t count = std::min<std::size_t>(4, row.size() - i);
    for (std::size_t k = 0; k < count; ++k) row[i + k].bits = float_to_bf16(normal_from_word(words[k]));
  }
}

Index value_count(const TensorSpec& spec) {
  std::optional<Index> count = 1;
  for (const Index extent : spec.shape)
    if (count) count = checked_mul(*count, extent);
  if (!count || spec.shape.empty() || spec.shape.size() > 2 || !checked_mul(*count, 2))
    fail(ErrorCode::kShape, {.where = "random: tensor '" + spec.name + "'",
                             .what = "shape",
                             .got = shape_text(spec.shape),
                             .expected = "one or two axes"});
  return *count;
}

}  // namespace

std::shared_ptr<Checkpoint> Checkpoint::random(std::span<const TensorSpec> specs, std::uint64_t seed,
                                               const Progress& progress) {
  constexpr Index kRowsAtOnce = 16384;
  std::shared_ptr<Checkpoint> checkpoint(new Checkpoint);
  checkpoint->name_ = "random";
  Index total = 0, done = 0, size = 0;
  for (const TensorSpec& spec : specs) {
    size = LargeBlock::with_part(size, value_count(spec) * 2);
    total += value_count(spec) * 2;
  }
  const auto block = std::make_shared<LargeBlock>(size);
  for (const TensorSpec& spec : specs) {
    Slot slot;
    slot.dtype = DType::kBF16;
    const Index bytes = value_count(spec) * 2;
    std::byte* const data = block->take(bytes);
    slot.copy = block;
    slot.bytes = {data, static_cast<std::size_t>(bytes)};
    const auto number = static_cast<std::uint32_t>(checkpoint->entries_.size());
    auto* values = reinterpret_cast<BlockBF16*>(data);
    if (spec.shape.size() == 1) std::fill_n(values, spec.shape[0], BlockBF16{float_to_bf16(1.0f)});
    const Index rows = spec.shape.size() == 2 ? spec.shape[0] : 0, cols = spec.shape.back();
    for (Index begin = 0; begin < rows; begin += kRowsAtOnce) {
      const Index count = std::min(kRowsAtOnce, rows - begin);
      parallel_for(count, [&](Index i) {
        const RngKey key{.seed = seed,
                         .sequence = number,
                         .position = static_cast<std::uint32_t>(begin + i),
                         .purpose = RngPurpose::kWeights};
        fill_row(key, {values + (begin + i) * cols, static_cast<std::size_t>(cols)});
      });
      if (progress) progress(done + (begin + count) * cols * 2, total);
    }
    const TensorEntry tensor{.name = spec.name,
                             .dtype_name = "BF16",
                             .dtype = DType::kBF16,
                             .shape = spec.shape,
                             .offset = done,
                             .bytes = bytes};
    done += bytes;
    checkpoint->add({.tensor = tensor, .file = "random", .name_in_file = spec.name}, std::move(slot));
  }
  if (progress) progress(total, total);
  return checkpoint;
}

}  // namespace llm
