#include "chapters/05_fused_cpu/fused_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "chapters/02_naive_loop/kv_rows.h"
#include "common/base/error.h"

namespace llm {

// B, T: rows of the batch and their length, padding included. N: real tokens. K: positions kept.
Logits& FusedModel::forward(const Batch& batch, Cache* past, const ForwardOptions& options) {
  pack(batch, config_, batch_);
  if (past) check_cache(*past);
  if (options.logits_to_keep < 0)
    fail(ErrorCode::kRange, {.where = "forward: logits_to_keep", .what = "is negative"});
  const Index layers = options.num_layers.value_or(config_.num_hidden_layers);
  if (layers < 0 || layers > config_.num_hidden_layers)
    fail(ErrorCode::kRange,
         {.where = "forward: num_layers",
          .what = "got",
          .got = std::to_string(layers),
          .expected = fmt::format("0 to {} (num_hidden_layers)", config_.num_hidden_layers)});

  const View<float, 2> hidden = hidden_.matrix(batch_.N, config_.hidden_size);
  embed(hidden);
  const Index half = rotary_.half_dim();
  rotary_.angles(batch_.positions, cosines_.matrix(batch_.N, half), sines_.matrix(batch_.N, half));
  show_hidden(0, hidden, options);
  for (Index l = 0; l < layers; ++l) {
    decoder_layer(l, hidden, past);
    show_hidden(l + 1, hidden, options);
  }
  const Index K = options.logits_to_keep == 0 ? batch_.T : std::min(options.logits_to_keep, batch_.T);
  const Norm norm = {norm_, static_cast<float>(config_.rms_norm_eps)};
  logits_.set(*operators_, keep_last(hidden, K), batch_.B, norm, lm_head_);
  return logits_;
}

void FusedModel::embed(View<float, 2> hidden) const {
  if (batch_.ids.empty()) return pack_rows(batch_.inputs_embeds, batch_, hidden);
  for (std::size_t n = 0; n < batch_.ids.size(); ++n) {
    const View<float, 1> row = hidden[static_cast<Index>(n)];
    dequantize_row(embed_tokens_, batch_.ids[n], {row.begin(), row.end()});
  }
}

// --8<-- [start:decoder_layer]
// hidden: [N, D]. The norms and the residual additions are within the operators now.
void FusedModel::decoder_layer(Index l, View<float, 2> hidden, Cache* past) {
  const DecoderLayer& layer = layers_[static_cast<std::size_t>(l)];
  const Index N = batch_.N, H = config_.num_attention_heads, Dh = config_.head_dim;
  const View<float, 2> heads = heads_.matrix(N, H * Dh);
  attend(l, hidden, past, heads.reshape<3>({N, H, Dh}));
  operators_->project_add(heads, layer.o_proj, hidden);
  operators_->feed_forward(layer, {layer.post_attention_layernorm, static_cast<float>(config_.rms_norm_eps)},
                           hidden);
}
// --8<-- [end:decoder_layer]

void FusedModel::attend(Index l, View<const float, 2> hidden, Cache* past, View<float, 3> heads) {
  const DecoderLayer& layer = layers_[static_cast<std::size_t>(l)];
  const Index N = batch_.N, Dh = config_.head_dim;
  const Index H = config_.num_attention_heads, KH = config_.num_key_value_heads;
  const View<float, 2> q = query_.matrix(N, H * Dh);
  const View<float, 2> k = key_.matrix(N, KH * Dh), v = value_.matrix(N, KH * Dh);
  const Projection projections[] = {{&layer.q_proj, q}, {&layer.k_proj, k}, {&layer.v_proj, v}};
  operators_->norm_project(hidden, {layer.input_layernorm, static_cast<float>(config_.rms_norm_eps)},
                           projections);
  const View<float, 3> queries = q.reshape<3>({N, H, Dh}), keys = k.reshape<3>({N, KH, Dh});
  norm_and_rotate(layer, queries, keys);
  find_rows(l, keys, v.reshape<3>({N, KH, Dh}), past);
  operators_->attend(queries, rows_, KH, config_.window(l), heads);
  if (past) past->layer(l).offload();
}

// A token at a time, so that all of it is done while it is near.
void FusedModel::norm_and_rotate(const DecoderLayer& layer, View<float, 3> queries, View<float, 3> keys) {
  const Index Dh = config_.head_dim, half = rotary_.half_dim();
  const View<const float, 2> cosines = cosines_.matrix(batch_.N, half), sines = sines_.matrix(batch_.N, half);
  const auto norm_heads = [&](View<float, 2> heads, View<const float, 1> weight) {
    for (Index h = 0; h < heads.shape(0) && !weight.empty(); ++h)
      operators_->kernels().rms_norm({.x = heads[h].begin(),
                                      .weight = weight.begin(),
                                      .out = heads[h].begin(),
                                      .size = Dh,
                                      .eps = static_cast<float>(config_.rms_norm_eps)});
  };
  const auto token = [&](Index n) {
    norm_heads(queries[n], layer.q_norm);
    norm_heads(keys[n], layer.k_norm);
    rotate(queries.slice(n, 1), cosines.slice(n, 1), sines.slice(n, 1));
    rotate(keys.slice(n, 1), cosines.slice(n, 1), sines.slice(n, 1));
  };
  constexpr Index kTooFewToShare = 8;
  if (batch_.N >= kTooFewToShare) return operators_->team().run(batch_.N, [&](Index n, int) { token(n); });
  for (Index n = 0; n < batch_.N; ++n) token(n);
}

// What each row attends to: all that its cache holds, the new tokens included; or the new tokens only.
void FusedModel::find_rows(Index l, View<const float, 3> keys, View<const float, 3> values, Cache* past) {
  rows_.clear();
  blocks_.clear();
  for (const RowTokens& tokens : batch_.rows) {
    rows_.push_back({tokens, past ? past->layer(l).get_seq_length(tokens.row) : 0, {}});
    blocks_.push_back({.keys = kv_view(keys.slice(tokens.begin, tokens.count)),
                       .values = kv_view(values.slice(tokens.begin, tokens.count)),
                       .first_position = 0,
                       .length = tokens.count});
  }
  if (past) {
    past->layer((l + 1) % config_.num_hidden_layers).prefetch();
    past->layer(l).update(keys, values, batch_.rows);
  }
  for (std::size_t b = 0; b < rows_.size(); ++b)
    rows_[b].blocks =
        past ? past->layer(l).blocks(rows_[b].tokens.row) : std::span<const KvBlock>(&blocks_[b], 1);
}

// The last K columns of each row, [B*K, D]; zeros at padding.
View<const float, 2> FusedModel::keep_last(View<const float, 2> hidden, Index K) {
  const Index D = config_.hidden_size;
  const View<float, 2> kept = kept_.matrix(batch_.B * K, D);
  std::fill_n(kept.data(), kept.size(), 0.0f);
  for (Index b = 0; b < batch_.B; ++b) {
    const RowTokens& row = batch_.rows[static_cast<std::size_t>(b)];
    const Index count = std::min(K, row.count);
    std::copy_n(hidden[row.begin + row.count - count].begin(), count * D, kept[b * K + K - count].begin());
  }
  return kept;
}

void FusedModel::show_hidden(Index layer, View<const float, 2> hidden, const ForwardOptions& options) {
  if (!options.on_hidden_state) return;
  const View<float, 3> padded = padded_.matrix(batch_.B * batch_.T, config_.hidden_size)
                                    .reshape<3>({batch_.B, batch_.T, config_.hidden_size});
  unpack(hidden, batch_, padded);
  options.on_hidden_state(layer, padded);
}

}  // namespace llm
