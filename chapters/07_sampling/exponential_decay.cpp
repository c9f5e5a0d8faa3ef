#include "chapters/07_sampling/exponential_decay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/base/error.h"

namespace llm {

ExponentialDecayLengthPenalty::ExponentialDecayLengthPenalty(ExponentialDecay decay, Index prompt_length,
                                                             std::vector<Token> eos_token_id)
    : decay_(decay), prompt_length_(prompt_length), eos_token_id_(std::move(eos_token_id)) {
  if (!(decay.start >= 0 && decay.factor > 0))
    fail(ErrorCode::kRange, {.where = "exponential_decay_length_penalty",
                             .what = "got",
                             .got = fmt::format("[{}, {}]", decay.start, decay.factor),
                             .expected = "[start of at least 0, factor above 0]"});
  std::ranges::sort(eos_token_id_);
  eos_token_id_.erase(std::unique(eos_token_id_.begin(), eos_token_id_.end()), eos_token_id_.end());
}

void ExponentialDecayLengthPenalty::process(std::span<const Token> input_ids, View<float, 1> scores) const {
  const Index steps = static_cast<Index>(input_ids.size()) - prompt_length_ - decay_.start;
  if (steps <= 0) return;
  const auto growth = static_cast<float>(std::pow(decay_.factor, static_cast<double>(steps)) - 1);
  for (const Token id : eos_token_id_)
    if (id < scores.size() && std::isfinite(scores[id])) scores[id] += std::abs(scores[id]) * growth;
}

}  // namespace llm
