// The simplest engine with a cache, and the same with one mistake: attention is a mean over the visible
// tokens that weighs near ones more. Its numbers mean nothing; what must hold for every engine holds for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "common/seams/causal_lm.h"
#include "common/tensor/tensor.h"
#include "tests/common/seams/kv_values.h"
#include "tests/common/seams/reference_cache.h"

namespace llm::test {

enum class EngineFault {
  kNone,
  kSeesLaterTokens,
  kSeesPadding,
  kIgnoresPositions,
  kKeepsFirstLogits,
  kPaddingScores,
  kTakesAnyCache,
  kTakesAnyId,
  kIgnoresRows,      // of the cache
  kForgetsCache,     // attends to the new tokens only
  kSkipsEmbeddings,  // no callback for layer 0
  kIgnoresNumLayers,
};

class ToyLogits : public Logits {
 public:
  View<const float, 3> host() override { return scores.view(); }
  std::vector<Token> argmax() override {
    std::vector<Token> best;
    for (Index b = 0; b < scores.shape(0); ++b) {
      const View<const float, 1> row = host()[b][scores.shape(1) - 1];
      for (const float score : row)
        if (std::isnan(score)) fail(ErrorCode::kRange, {.where = "toy", .what = "NaN"});
      best.push_back(static_cast<Token>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
    return best;
  }
  Tensor<float, 3> scores;
};

class ToyModel : public CausalLM {
 public:
  explicit ToyModel(EngineFault fault = EngineFault::kNone) : fault_(fault) {
    config_.model_type = "llama";
    config_.vocab_size = 13;
    config_.hidden_size = 6;
    config_.num_hidden_layers = 3;
    config_.num_attention_heads = config_.num_key_value_heads = 1;
    config_.head_dim = 6;
    config_.max_position_embeddings = 40;
  }

  std::string_view name() const override { return "toy"; }
  const ModelConfig& config() const override { return config_; }
  std::unique_ptr<Cache> make_cache(const CacheSpec& spec) const override {
    return std::make_unique<ReferenceCache>(this, 3, spec.num_rows, 1, 6);
  }

  Logits& forward(const Batch& batch, Cache* past, const ForwardOptions& options) override {
    check(batch, past, options);
    const bool ids = batch.input_ids.data() != nullptr;
    const Index B = ids ? batch.input_ids.shape(0) : batch.inputs_embeds.shape(0);
    const Index T = batch.position_ids.shape(1);
    Tensor<float, 3> hidden({B, T, 6}, 0.0f);
    for (Index b = 0; b < B; ++b)
      for (Index t = 0; t < T; ++t)
        for (Index d = 0; d < 6 && real(batch, b, t); ++d)
          hidden(b, t, d) = ids ? std::sin(static_cast<float>((batch.input_ids(b, t) + 1) * (d + 2)))
                                : batch.inputs_embeds(b, t, d);
    const bool all = fault_ == EngineFault::kIgnoresNumLayers;
    const Index L = all ? 3 : options.num_layers.value_or(3);
    if (fault_ != EngineFault::kSkipsEmbeddings) show(options, 0, hidden);
    for (Index l = 0; l < L; ++l) {
      layer(l, batch, past, hidden);
      show(options, l + 1, hidden);
    }
    head(batch, options.logits_to_keep == 0 ? T : std::min(T, options.logits_to_keep), hidden);
    return logits_;
  }

 private:
  static bool real(const Batch& batch, Index b, Index t) {
    return batch.attention_mask.data() == nullptr || batch.attention_mask(b, t) != 0;
  }
  static void show(const ForwardOptions& options, Index l, const Tensor<float, 3>& hidden) {
    if (options.on_hidden_state) options.on_hidden_state(l, hidden.view());
  }

  void check(const Batch& batch, Cache* past, const ForwardOptions& options) const {
    if (past != nullptr && past->maker() != this && fault_ != EngineFault::kTakesAnyCache)
      fail(ErrorCode::kMismatch, {.where = "toy", .what = "cache"});
    if (options.num_layers.value_or(0) > 3) fail(ErrorCode::kRange, {.where = "toy", .what = "num_layers"});
    const bool ids = batch.input_ids.data() != nullptr;
    if (ids && batch.position_ids.shape() != batch.input_ids.shape())
      fail(ErrorCode::kShape, {.where = "toy", .what = "position_ids"});
    for (Index b = 0; b < batch.position_ids.shape(0); ++b)
      for (Index t = 0; t < batch.position_ids.shape(1); ++t) {
        if (!real(batch, b, t)) {
          if (t > 0 && real(batch, b, t - 1))
            fail(ErrorCode::kUnsupported, {.where = "toy", .what = "padding"});
          continue;
        }
        const bool known = !ids || (batch.input_ids(b, t) >= 0 && batch.input_ids(b, t) < 13);
        if (!known && fault_ != EngineFault::kTakesAnyId)
          fail(ErrorCode::kRange, {.where = "toy", .what = "id"});
        if (batch.position_ids(b, t) < 0 || batch.position_ids(b, t) >= 40)
          fail(ErrorCode::kRange, {.where = "toy", .what = "position"});
      }
  }

  // hidden += mean over what is seen, with weights that fall with the distance. Keys hold the position.
  void layer(Index l, const Batch& batch, Cache* past, Tensor<float, 3>& hidden) {
    const Tensor<float, 3> before = hidden.clone();
    for (Index b = 0; b < hidden.shape(0); ++b) {
      const bool named = !batch.rows.empty() && fault_ != EngineFault::kIgnoresRows;
      const Index row = named ? batch.rows[static_cast<std::size_t>(b)] : b;
      std::vector<float> keys, values;  // of old tokens, then of this row's
      if (past != nullptr && fault_ != EngineFault::kForgetsCache) read(past->layer(l), row, keys, values);
      const std::size_t old = keys.size();
      Tensor<float, 3> new_keys({hidden.shape(1), 1, 6}), new_values({hidden.shape(1), 1, 6});
      Index count = 0;
      for (Index t = 0; t < hidden.shape(1); ++t) {
        if (!real(batch, b, t) && fault_ != EngineFault::kSeesPadding) continue;
        const bool blind = fault_ == EngineFault::kIgnoresPositions;
        keys.push_back(blind ? 0 : static_cast<float>(batch.position_ids(b, t)));
        for (Index d = 0; d < 6; ++d) {
          values.push_back(before(b, t, d));
          new_keys(count, 0, d) = keys.back();
          new_values(count, 0, d) = before(b, t, d);
        }
        ++count;
      }
      if (past != nullptr) {
        const RowTokens tokens = {.row = row, .begin = 0, .count = count};
        past->layer(l).update(new_keys, new_values, {&tokens, 1});
      }
      std::size_t seen = old;
      for (Index t = 0; t < hidden.shape(1); ++t) {
        if (!real(batch, b, t)) {
          if (fault_ == EngineFault::kSeesPadding) ++seen;
          continue;
        }
        ++seen;
        const std::size_t visible = fault_ == EngineFault::kSeesLaterTokens ? keys.size() : seen;
        attend(keys, values, visible, keys[seen - 1], hidden[b][t]);
      }
    }
  }

  static void read(CacheLayer& layer, Index row, std::vector<float>& keys, std::vector<float>& values) {
    for (const KvBlock& block : layer.blocks(row))
      for (Index i = 0; i < block.length; ++i) {
        keys.push_back(kv_value(block.keys, 0, i, 0));
        for (Index d = 0; d < 6; ++d) values.push_back(kv_value(block.values, 0, i, d));
      }
  }

  static void attend(const std::vector<float>& keys, const std::vector<float>& values, std::size_t visible,
                     float position, View<float, 1> out) {
    float total = 0, sums[6] = {};
    for (std::size_t i = 0; i < visible; ++i) {
      const float weight = 1 / (1 + std::abs(position - keys[i]));
      total += weight;
      for (std::size_t d = 0; d < 6; ++d) sums[d] += weight * values[6 * i + d];
    }
    for (Index d = 0; d < 6; ++d) out[d] += 0.5f * sums[d] / total;
  }

  void head(const Batch& batch, Index K, const Tensor<float, 3>& hidden) {
    const Index B = hidden.shape(0), T = hidden.shape(1);
    logits_.scores = Tensor<float, 3>({B, K, 13}, fault_ == EngineFault::kPaddingScores ? 1.0f : 0.0f);
    for (Index b = 0; b < B; ++b)
      for (Index k = 0; k < K; ++k) {
        const Index t = fault_ == EngineFault::kKeepsFirstLogits ? k : T - K + k;
        if (!real(batch, b, t)) continue;
        for (Index v = 0; v < 13; ++v) {
          float score = 0;
          for (Index d = 0; d < 6; ++d)
            score += hidden(b, t, d) * std::cos(static_cast<float>((v + 1) * (d + 1)));
          logits_.scores(b, k, v) = score;
        }
      }
  }

  EngineFault fault_;
  ModelConfig config_;
  ToyLogits logits_;
};

}  // namespace llm::test
