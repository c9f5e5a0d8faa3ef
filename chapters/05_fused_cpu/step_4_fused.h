// Step 4: operators that belong together become one. What one of them makes is still in the nearest cache
// when the next one wants it, and the threads meet five times a layer instead of a dozen.
#pragma once

#include "chapters/05_fused_cpu/step_3_simd.h"

namespace llm {

class FusedOperators : public SimdOperators {
 public:
  using SimdOperators::SimdOperators;

  // One norm, and one pass over the rows of all projections.
  void norm_project(View<const float, 2> hidden, const Norm& norm,
                    std::span<const Projection> projections) override;
  // The product goes straight into the residual stream.
  void project_add(View<const float, 2> x, const Linear& linear, View<float, 2> hidden) override;
  // 32 rows of the gate, the same of the way up, SwiGLU: what they are multiplied into never leaves the
  // cache.
  void feed_forward(const DecoderLayer& layer, const Norm& norm, View<float, 2> hidden) override;
  // Each score is compared as it is made; the V scores are never written.
  std::vector<Token> best(View<const float, 2> hidden, const Norm& norm, const Linear& head) override;

 private:
  Buffer gated_;
  std::vector<const Weight*> weights_;
};

}  // namespace llm
