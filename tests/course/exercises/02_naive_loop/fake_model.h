// A model without weights, for the tests of loops: its scores are a function of the tokens so far.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/seams/causal_lm.h"
#include "common/tensor/tensor.h"

namespace llm::grading {

using Tokens = std::vector<Token>;

class FakeModel : public CausalLM, private Logits {
 public:
  // scores(prefix): one number for each of the vocab_size tokens that may follow the prefix.
  using Scores = std::function<std::vector<float>(const Tokens& prefix)>;
  FakeModel(Index vocab_size, Scores scores) : scores_(std::move(scores)) { config_.vocab_size = vocab_size; }

  // What was asked of it.
  Index forwards() const { return forwards_; }
  Index positions() const { return positions_; }  // real tokens of all forward passes
  Index judged() const { return judged_; }        // those of them whose logits were wanted

  std::string_view name() const override { return "fake"; }
  const ModelConfig& config() const override { return config_; }
  std::unique_ptr<Cache> make_cache(const CacheSpec&) const override { return nullptr; }

  Logits& forward(const Batch& batch, Cache*, const ForwardOptions& options) override {
    const Index B = batch.input_ids.shape(0), T = batch.input_ids.shape(1), V = config_.vocab_size;
    const Index K = options.logits_to_keep == 0 ? T : std::min(options.logits_to_keep, T);
    logits_ = Tensor<float, 3>({B, K, V}, 0.0f);
    ++forwards_;
    for (Index b = 0; b < B; ++b) {
      Tokens prefix;
      for (Index t = 0; t < T; ++t) {
        if (!batch.attention_mask.empty() && batch.attention_mask(b, t) == 0) continue;
        prefix.push_back(batch.input_ids(b, t));
        ++positions_;
        if (t < T - K) continue;
        ++judged_;
        const std::vector<float> row = scores_(prefix);
        std::copy_n(row.begin(), V, logits_.view()[b][t - (T - K)].begin());
      }
    }
    return *this;
  }

 private:
  View<const float, 3> host() override { return logits_.view(); }
  std::vector<Token> argmax() override {
    std::vector<Token> best;
    for (Index b = 0; b < logits_.shape(0); ++b) {
      const View<float, 1> row = logits_.view()[b][logits_.shape(1) - 1];
      best.push_back(static_cast<Token>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
    return best;
  }

  ModelConfig config_;
  Scores scores_;
  Tensor<float, 3> logits_;
  Index forwards_ = 0, positions_ = 0, judged_ = 0;
};

}  // namespace llm::grading
