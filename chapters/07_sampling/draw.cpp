#include "chapters/07_sampling/draw.h"

#include "chapters/07_sampling/candidates.h"
#include "chapters/07_sampling/logits_processor_list.h"
#include "common/base/error.h"

namespace llm {

Token draw(View<const float, 1> scores, double uniform) {
  const Distribution distribution = distribution_of(scores);
  // --8<-- [start:ex07-8]
  if (distribution.has_nan || distribution.candidates.empty())
    fail(ErrorCode::kRange, {.where = "scores", .what = trouble_of(scores) + ", so no token can be drawn"});
  const double target = uniform * distribution.total;
  double sum = 0;
  Token last = 0;  // where rounding leaves nothing beyond the target: the last token that has a weight
  for (const Candidate& candidate : distribution.candidates) {
    if (candidate.weight == 0) continue;
    last = candidate.id;
    sum += candidate.weight;
    if (sum > target) break;
  }
  return last;
  // --8<-- [end:ex07-8]
}

}  // namespace llm
