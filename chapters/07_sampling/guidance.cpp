#include "chapters/07_sampling/guidance.h"

#include <algorithm>

#include "chapters/03_kv_cache/cached_text.h"
#include "chapters/07_sampling/feed.h"
#include "chapters/07_sampling/renormalize.h"
#include "common/base/error.h"

namespace llm {
namespace {

class NegativePrompt {
 public:
  NegativePrompt(CausalLM& model, std::unique_ptr<Cache> cache, std::vector<Token> negative_prompt,
                 Index prompt_length)
      : model_(model),
        text_{std::move(cache), {}},
        negative_prompt_(std::move(negative_prompt)),
        prompt_length_(static_cast<std::size_t>(prompt_length)) {}

  View<const float, 2> operator()(View<const Token, 2> input_ids) {
    const Index B = input_ids.shape(0), V = model_.config().vocab_size;
    if (logits_.empty() || logits_.shape(0) != B) logits_ = Tensor<float, 2>({B, V});
    for (Index b = 0; b < B; ++b) {
      const std::span<const Token> row(input_ids[b].begin(), static_cast<std::size_t>(input_ids.shape(1)));
      ids_ = negative_prompt_;
      ids_.insert(ids_.end(), row.begin() + static_cast<std::ptrdiff_t>(prompt_length_), row.end());
      if (text_.cache) (void)keep_common_prefix(text_, ids_);
      const View<const float, 1> last = last_scores(feed(model_, text_.cache.get(), ids_), 0);
      std::ranges::copy(last, logits_[b].begin());
      text_.ids = ids_;
    }
    return logits_;
  }

 private:
  CausalLM& model_;
  CachedText text_;
  std::vector<Token> negative_prompt_;
  std::size_t prompt_length_;
  std::vector<Token> ids_;
  Tensor<float, 2> logits_;  // [B, V]
};

}  // namespace

void Guidance::operator()(View<const Token, 2> input_ids, View<float, 2> scores) const {
  const View<const float, 2> given = unconditional_(input_ids);
  if (given.shape() != scores.shape())
    fail(ErrorCode::kShape,
         {.where = "guidance_scale", .what = "the unconditional scores have another shape"});
  thread_local std::vector<float> unconditional;
  for (Index b = 0; b < scores.shape(0); ++b) {
    unconditional.assign(given[b].begin(), given[b].end());
    log_softmax({unconditional.data(), {scores.shape(1)}});
    log_softmax(scores[b]);
    for (Index v = 0; v < scores.shape(1); ++v) {
      const float q = unconditional[static_cast<std::size_t>(v)];
      float& score = scores(b, v);
      if (score != kBanned) score = q + scale_ * (score - q);
    }
  }
}

UnconditionalLogits unconditional_logits(CausalLM& model, std::unique_ptr<Cache> cache,
                                         std::vector<Token> negative_prompt, Index prompt_length) {
  return [state = std::make_shared<NegativePrompt>(model, std::move(cache), std::move(negative_prompt),
                                                   prompt_length)](View<const Token, 2> input_ids) {
    return (*state)(input_ids);
  };
}

}  // namespace llm
