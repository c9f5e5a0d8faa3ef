// Step 3: products that read the weights in the file's own format, on a team of threads that stays. One
// operator at a time, as chapter 02 has them.
#pragma once

#include <memory>

#include "chapters/02_naive_loop/buffer.h"
#include "chapters/05_fused_cpu/operators.h"

namespace llm {

// One thread's intermediate results.
struct ThreadScratch {
  Buffer panel;    // weights that were unpacked
  Buffer out, up;  // [N, kPanelRows]: of a panel
  // Of attention:
  Buffer queries, scores, rows, part, all;
  std::vector<SoftmaxPart> softmax;
};

// x as a product wants it.
struct ProductInput {
  RowsIn rows;
  Index N = 0;
};

class SimdOperators : public Operators {
 public:
  explicit SimdOperators(const FusedOptions& options)
      : Operators(options), scratch_(static_cast<std::size_t>(options.num_threads)) {}

  void norm_project(View<const float, 2> hidden, const Norm& norm,
                    std::span<const Projection> projections) override;
  void project_add(View<const float, 2> x, const Linear& linear, View<float, 2> hidden) override;
  void feed_forward(const DecoderLayer& layer, const Norm& norm, View<float, 2> hidden) override;
  void attend(View<const float, 3> queries, std::span<const AttentionRow> rows, Index num_kv_heads,
              std::optional<Index> window, View<float, 3> out) override;
  std::vector<Token> best(View<const float, 2> hidden, const Norm& norm, const Linear& head) override;

 protected:
  // What the products of x with these weights have in common, so done once.
  virtual ProductInput prepare(View<const float, 2> x, std::span<const Weight* const> weights);
  // out[n][i] = x[n] . weight[first + i] for `count` rows of the weight, at most kPanelRows.
  void multiply(const ProductInput& x, const Weight& weight, Index first, Index count, float* out,
                Index out_stride, int thread);
  // The kernel that multiplies with this weight what prepare() made of x.
  using Product = void (*)(const ProductPanel& panel);
  virtual Product product_with(const Weight& weight) const { return (void)weight, kernels().product; }

  // Calls body(first, count, thread) for the rows of a matrix, kPanelRows at a time.
  void each_panel(Index rows, FunctionRef<void(Index first, Index count, int thread)> body);
  // body(n) for each row of N numbers: on this thread alone if they are few.
  void each_row(Index N, Index row_size, FunctionRef<void(Index n)> body);

  View<const float, 2> normalize(View<const float, 2> x, const Norm& norm);  // until the next call
  void linear(View<const float, 2> x, const Linear& layer, View<float, 2> out);
  ThreadScratch& scratch(int thread) { return scratch_[static_cast<std::size_t>(thread)]; }

 private:
  std::vector<ThreadScratch> scratch_;
  Buffer normed_, gate_, up_, delta_, scores_;
  AttentionWorkspace attention_;
};

// The index and score of the best of some scores; NaN shows as `not_a_number`.
struct BestScore {
  float score = 0;
  Index id = -1;
  Index not_a_number = -1;
  void add(float score, Index id);
  void add(const BestScore& other);
  // Errors: kRange if a score was NaN.
  Token token(Index row) const;
};

}  // namespace llm
