#include "chapters/05_fused_cpu/fused_logits.h"

#include <algorithm>

#include "chapters/02_naive_loop/host_logits.h"

namespace llm {

void FusedLogits::set(Operators& operators, View<const float, 2> hidden, Index B, const Norm& norm,
                      const Linear& head) {
  operators_ = &operators;
  hidden_ = hidden;
  B_ = B;
  norm_ = norm;
  head_ = &head;
  computed_ = false;
}

View<const float, 3> FusedLogits::host() {
  const Index rows = hidden_.shape(0), V = head_->weight.rows;
  const View<float, 2> scores = scores_.matrix(rows, V);
  const Projection projection = {.linear = head_, .out = scores};
  if (!computed_) operators_->norm_project(hidden_, norm_, {&projection, 1});
  computed_ = true;
  return scores.reshape<3>({B_, rows / B_, V});
}

std::vector<Token> FusedLogits::argmax() {
  const Index K = hidden_.shape(0) / B_, D = hidden_.shape(1);
  if (computed_) {
    HostLogits scores;
    scores.set(host());
    return scores.argmax();
  }
  if (K == 1) return operators_->best(hidden_, norm_, *head_);
  const View<float, 2> last = last_.matrix(B_, D);
  for (Index b = 0; b < B_; ++b) std::copy_n(hidden_[b * K + K - 1].begin(), D, last[b].begin());
  return operators_->best(last, norm_, *head_);
}

}  // namespace llm
