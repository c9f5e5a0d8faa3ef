#include "chapters/02_naive_loop/weight_loader.h"

#include "common/base/parallel.h"

namespace llm {

View<const float, 2> WeightLoader::as_float(const Weight& weight) {
  if (weight.dtype == DType::kF32)
    return {reinterpret_cast<const float*>(weight.data), {weight.rows, weight.cols}};
  return jobs_.emplace_back(Job{weight, Tensor<float, 2>({weight.rows, weight.cols})}).to.view();
}

View<const float, 2> WeightLoader::matrix(std::string_view name, Index rows, Index cols,
                                          std::string_view why) {
  return as_float(checkpoint_->matrix(name, rows, cols, why));
}

View<const float, 1> WeightLoader::vector(std::string_view name, Index size, std::string_view why) {
  return as_float(checkpoint_->vector(name, size, why))[0];
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

Index WeightLoader::copied_bytes() const {
  Index bytes = 0;
  for (const Job& job : jobs_) bytes += job.to.bytes();
  return bytes;
}

}  // namespace llm
