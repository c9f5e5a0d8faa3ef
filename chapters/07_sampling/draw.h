// The next token from a row of scores.
#pragma once

#include "common/tensor/view.h"

namespace llm {

// Draws by one uniform number in [0, 1): the token at which the cumulative probability, in the order of ids,
// passes it. The probabilities are the softmax of the scores; a banned token has exactly 0.
// scores: [V]. Errors: kRange if there is no distribution: a NaN, or a largest score that is infinite.
Token draw(View<const float, 1> scores, double uniform);

}  // namespace llm
