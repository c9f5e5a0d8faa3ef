#include "chapters/07_sampling/token_chooser.h"

#include <algorithm>

#include "chapters/02_naive_loop/host_logits.h"
#include "chapters/07_sampling/draw.h"

namespace llm {

// --8<-- [start:choose]
double sampling_uniform(const ChoiceRule& rule, Index position) {
  return uniform({.seed = rule.seed,
                  .sequence = rule.sequence,
                  .position = static_cast<std::uint32_t>(position),
                  .purpose = RngPurpose::kSample});
}

Token choose(const ChoiceRule& rule, View<const float, 1> scores, Index position) {
  return rule.do_sample ? draw(scores, sampling_uniform(rule, position)) : argmax(scores, "scores");
}
// --8<-- [end:choose]

TokenChooser::TokenChooser(ChoiceRule rule, std::span<const Token> prompt, Index padding, Index room)
    : rule_(std::move(rule)),
      ids_(prompt.begin(), prompt.end()),
      padding_(padding),
      prompt_length_(static_cast<Index>(prompt.size())) {
  ids_.reserve(prompt.size() + static_cast<std::size_t>(room));
}

void TokenChooser::take(View<const float, 1> logits) {
  if (scores_.empty()) scores_ = Tensor<float, 2>({1, logits.size()});
  std::ranges::copy(logits, scores_.data());
}

Token TokenChooser::choose_next(Observer* observer) {
  const auto S = static_cast<Index>(ids_.size());
  rule_.processors.run(View<const Token, 2>(ids_.data(), {1, S}), scores_, observer, S - prompt_length_);
  const Token token = choose(rule_, scores_[0], position());
  append(token);
  return token;
}

}  // namespace llm
