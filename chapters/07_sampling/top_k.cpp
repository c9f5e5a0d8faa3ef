#include "chapters/07_sampling/top_k.h"

#include <algorithm>

#include "chapters/07_sampling/candidates.h"
#include "common/base/error.h"

namespace llm {

TopK::TopK(Index k, Index min_tokens_to_keep) : k_(std::max(k, min_tokens_to_keep)) {
  if (k < 1)
    fail(ErrorCode::kRange,
         {.where = "top_k", .what = "got", .got = std::to_string(k), .expected = "an integer of at least 1"});
}

void TopK::process(std::span<const Token>, View<float, 1> scores) const {
  // --8<-- [start:ex07-2]
  const Index k = std::min(k_, scores.size());
  const float threshold = kth_best(scores, k);
  for (float& score : scores) score = score < threshold ? kBanned : score;
  // --8<-- [end:ex07-2]
}

}  // namespace llm
