// Classifier-free guidance: away from what the model would say without the prompt.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "chapters/07_sampling/row_processor.h"
#include "common/seams/causal_lm.h"
#include "common/tensor/tensor.h"

namespace llm {

// The scores that the text would have after another prompt. input_ids: [B, S] -> [B, V], valid until the next
// call.
using UnconditionalLogits = std::function<View<const float, 2>(View<const Token, 2> input_ids)>;

// With p = log softmax(scores) and q = log softmax(unconditional scores): q + scale * (p - q). Above 1 the
// text keeps closer to the prompt. A banned token stays banned.
// Sanchez et al. 2023, "Stay on topic with classifier-free guidance".
// transformers: UnbatchedClassifierFreeGuidanceLogitsProcessor.
class Guidance : public LogitsProcessor {
 public:
  Guidance(double scale, UnconditionalLogits unconditional)
      : scale_(static_cast<float>(scale)), unconditional_(std::move(unconditional)) {}
  std::string_view name() const override { return "guidance_scale"; }
  // Errors: kShape if the unconditional scores are not [B, V].
  void operator()(View<const Token, 2> input_ids, View<float, 2> scores) const override;

 private:
  float scale_;
  UnconditionalLogits unconditional_;
};

// The unconditional scores of a model: negative_prompt, then the row's new tokens. It has a cache of its own,
// of one row, and feeds only what that does not hold yet; where rows change places it goes back to what the
// texts have in common. negative_prompt: not empty. cache: null for an engine without one. model: outlives
// the result. prompt_length: tokens of the prompt, padding included.
UnconditionalLogits unconditional_logits(CausalLM& model, std::unique_ptr<Cache> cache,
                                         std::vector<Token> negative_prompt, Index prompt_length);

}  // namespace llm
