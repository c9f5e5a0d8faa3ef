#include "chapters/02_naive_loop/weight_loader.h"

#include <algorithm>

#include "common/base/parallel.h"

namespace llm {

// Memory for a copy behind that of the copy before. Vectors alone would not fill a large page.
View<float, 2> WeightLoader::take(Index rows, Index cols) {
  const Index block = format_ == MatrixFormat::kFile ? Index{1} << 20 : Index{64} << 20;
  const Index bytes = rows * cols * static_cast<Index>(sizeof(float));
  if (blocks_.empty() || !blocks_.back().has_room(bytes)) blocks_.emplace_back(std::max(block, bytes));
  return {reinterpret_cast<float*>(blocks_.back().take(bytes)), {rows, cols}};
}

Weight WeightLoader::as_float(const Weight& weight) {
  if (weight.dtype == DType::kF32) return weight;
  const Job& job = jobs_.emplace_back(Job{weight, take(weight.rows, weight.cols)});
  return {.dtype = DType::kF32,
          .rows = weight.rows,
          .cols = weight.cols,
          .data = reinterpret_cast<const std::byte*>(job.to.data())};
}

Weight WeightLoader::matrix(std::string_view name, Index rows, Index cols, std::string_view why) {
  const Weight weight = checkpoint_->matrix(name, rows, cols, why);
  return format_ == MatrixFormat::kFile ? weight : as_float(weight);
}

View<const float, 1> WeightLoader::vector(std::string_view name, Index size, std::string_view why) {
  return float_matrix(as_float(checkpoint_->vector(name, size, why)))[0];
}

Weight WeightLoader::unconverted(std::string_view name, Index rows, Index cols, std::string_view why) {
  return checkpoint_->matrix(name, rows, cols, why);
}

void WeightLoader::convert(const Progress& progress) {
  const Index total = copied_bytes();
  Index done = 0;
  for (const Job& job : jobs_) {
    parallel_for(job.from.rows, [&](Index r) {
      const View<float, 1> row = job.to[r];
      dequantize_row(job.from, r, {row.begin(), row.end()});
    });
    done += job.to.size() * static_cast<Index>(sizeof(float));
    if (progress) progress(done, total);
  }
}

std::vector<std::string> tensors_without_place(const Checkpoint& checkpoint) {
  std::vector<std::string> names = checkpoint.unused();
  std::erase_if(names, [](const std::string& name) {
    return name.ends_with(".rotary_emb.inv_freq") || name == "rope_freqs.weight";
  });
  return names;
}

Index WeightLoader::copied_bytes() const {
  Index bytes = 0;
  for (const Job& job : jobs_) bytes += job.to.size() * static_cast<Index>(sizeof(float));
  return bytes;
}

}  // namespace llm
