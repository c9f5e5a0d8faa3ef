// From a checkpoint, in whatever number format, to the float32 weights that this chapter computes with.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "common/base/large_pages.h"
#include "common/io/checkpoint.h"
#include "common/tensor/view.h"

namespace llm {

// What becomes of matrices: float32, which chapter 02 computes with, or what they are in the file.
enum class MatrixFormat { kFloat32, kFile };

// Finds first and converts later: a missing tensor is reported before a gigabyte has been copied.
class WeightLoader {
 public:
  explicit WeightLoader(std::shared_ptr<Checkpoint> checkpoint, MatrixFormat format = MatrixFormat::kFloat32)
      : checkpoint_(std::move(checkpoint)), format_(format) {}

  bool has(std::string_view name) const { return checkpoint_->has(name); }

  // The weight of that name and shape: where it lies if it need not become float32, else a copy that
  // convert() will fill. Vectors are always float32. why: where the numbers come from, for the message about
  // a wrong shape. Errors: kMissing, kShape, kUnsupported, as Checkpoint's.
  Weight matrix(std::string_view name, Index rows, Index cols, std::string_view why);
  View<const float, 1> vector(std::string_view name, Index size, std::string_view why);

  // The same in the file's format, for a table of which a few rows are looked at.
  Weight unconverted(std::string_view name, Index rows, Index cols, std::string_view why);

  // Fills the copies, in parallel. progress counts their bytes.
  void convert(const Progress& progress);

  const Checkpoint& checkpoint() const { return *checkpoint_; }
  Index copied_bytes() const;

 private:
  struct Job {
    Weight from;
    View<float, 2> to;
  };
  Weight as_float(const Weight& weight);
  View<float, 2> take(Index rows, Index cols);

  std::shared_ptr<Checkpoint> checkpoint_;
  MatrixFormat format_;
  std::vector<Job> jobs_;
  std::deque<LargeBlock> blocks_;  // of the copies
};

// Tensors that nobody asked for, those apart that say what the config says too.
std::vector<std::string> tensors_without_place(const Checkpoint& checkpoint);

}  // namespace llm
