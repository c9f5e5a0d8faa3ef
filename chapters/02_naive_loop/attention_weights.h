// Whom a token looks at, and how much of each it takes.
#pragma once

#include <optional>

#include "common/tensor/view.h"

namespace llm {

// The indices [begin, end) of a sequence.
struct Range {
  Index begin = 0;
  Index end = 0;
  Index size() const { return end - begin; }
};

// The keys that the token at `index` of its sequence sees: itself and those before it (causal attention),
// back to `oldest`, the first one that is stored; with a window only its `window` last ones, itself included.
// 0 <= oldest <= index; window: 1 or more.
Range visible_keys(Index oldest, Index index, std::optional<Index> window);

// scores = softmax(scores * scale) over the columns in `seen`, of which there is at least one; all others
// become 0. The largest score is subtracted before exp(), which would else overflow: that changes nothing
// else. scale: more than 0.
void masked_softmax(View<float, 1> scores, Range seen, float scale);

}  // namespace llm
