// Looking weights up by name.
#include "common/io/checkpoint.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/error.h"
#include "common/io/near_match.h"

namespace llm {

Checkpoint::Checkpoint() = default;
Checkpoint::~Checkpoint() = default;

std::size_t Checkpoint::add(Entry entry, Slot slot) {
  const std::size_t i = entries_.size();
  if (!index_.emplace(entry.tensor.name, i).second)
    fail(ErrorCode::kFormat, {.where = entry.file, .what = "duplicate tensor '" + entry.tensor.name + "'"});
  entries_.push_back(std::move(entry));
  slots_.push_back(std::move(slot));
  return i;
}

std::string Checkpoint::place(const Entry& entry) const {
  std::string text = entry.file + ": tensor '" + entry.tensor.name + "'";
  if (entry.name_in_file != entry.tensor.name) text += " (" + entry.name_in_file + ")";
  return text + " at byte " + std::to_string(entry.tensor.offset);
}

std::size_t Checkpoint::find(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  if (found != index_.end()) return found->second;
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.tensor.name);
  const std::string nearest = near_match(name, names);
  fail(ErrorCode::kMissing, {.where = name_,
                             .what = "there is no tensor",
                             .got = "'" + std::string(name) + "'",
                             .remedy = nearest.empty() ? "" : "the nearest name is '" + nearest + "'"});
}

std::size_t Checkpoint::find_shaped(std::string_view name, std::span<const Index> shape,
                                    std::string_view why) const {
  const std::size_t i = find(name);
  const Entry& entry = entries_[i];
  if (!std::ranges::equal(entry.tensor.shape, shape)) {
    std::string expected = shape_text(shape);
    if (!why.empty()) expected += " (" + std::string(why) + ")";
    fail(ErrorCode::kShape, {.where = place(entry),
                             .what = "shape",
                             .got = shape_text(entry.tensor.shape),
                             .expected = expected});
  }
  if (!entry.tensor.dtype)
    fail(ErrorCode::kUnsupported,
         {.where = place(entry),
          .what = "cannot compute with weights of type",
          .got = entry.tensor.dtype_name,
          .expected = "F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K or Q6_K"});
  return i;
}

void Checkpoint::expect(std::string_view name, std::span<const Index> shape, std::string_view why) const {
  find_shaped(name, shape, why);
}

Weight Checkpoint::matrix(std::string_view name, Index rows, Index cols, std::string_view why) {
  return weight(find_shaped(name, std::array{rows, cols}, why), rows, cols);
}

Weight Checkpoint::vector(std::string_view name, Index size, std::string_view why) {
  return weight(find_shaped(name, std::array{size}, why), 1, size);
}

Weight Checkpoint::weight(std::size_t i, Index rows, Index cols) {
  Slot& slot = slots_[i];
  slot.used = true;
  prepare(i);
  return {.dtype = slot.dtype, .rows = rows, .cols = cols, .data = slot.bytes.data()};
}

std::vector<std::string> Checkpoint::unused() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (!slots_[i].used) names.push_back(entries_[i].tensor.name);
  return names;
}

Index Checkpoint::weight_bytes() const {
  Index total = 0;
  for (const Slot& slot : slots_) total += static_cast<Index>(slot.bytes.size());
  return total;
}

Index Checkpoint::copied_bytes() const {
  Index total = 0;
  for (const Slot& slot : slots_) total += slot.copy ? static_cast<Index>(slot.bytes.size()) : 0;
  return total;
}

}  // namespace llm
