#include "chapters/02_naive_loop/host_logits.h"

#include <cmath>

namespace llm {
namespace {

[[noreturn]] void fail_not_a_number(const std::string& where, Index token) {
  fail(ErrorCode::kRange, {.where = where,
                           .what = "the score of token " + std::to_string(token) + " is not a number",
                           .remedy = "check the model's weights"});
}

}  // namespace

Token argmax(View<const float, 1> scores, const std::string& where) {
  // --8<-- [start:ex02-7]
  Index best = 0;
  for (Index i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) fail_not_a_number(where, i);
    if (scores[i] > scores[best]) best = i;
  }
  return static_cast<Token>(best);
  // --8<-- [end:ex02-7]
}

std::vector<Token> HostLogits::argmax() {
  std::vector<Token> best;
  for (Index b = 0; b < scores_.shape(0); ++b)
    best.push_back(llm::argmax(scores_[b][scores_.shape(1) - 1], "logits: row " + std::to_string(b)));
  return best;
}

}  // namespace llm
