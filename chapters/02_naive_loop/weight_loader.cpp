#include "chapters/02_naive_loop/weight_loader.h"

#include "common/base/large_pages.h"
#include "common/base/parallel.h"

namespace llm {

Weight WeightLoader::as_float(const Weight& weight) {
  if (weight.dtype == DType::kF32) return weight;
  Job& job = jobs_.emplace_back(Job{weight, Tensor<float, 2>({weight.rows, weight.cols})});
  prefer_large_pages(job.to.data(), static_cast<std::size_t>(job.to.bytes()));
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
  for (Job& job : jobs_) {
    parallel_for(job.from.rows, [&](Index r) {
      const View<float, 1> row = job.to[r];
      dequantize_row(job.from, r, {row.begin(), row.end()});
    });
    done += job.to.bytes();
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
  for (const Job& job : jobs_) bytes += job.to.bytes();
  return bytes;
}

}  // namespace llm
