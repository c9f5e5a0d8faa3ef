#include "chapters/05_fused_cpu/fused_model.h"

#include "chapters/02_naive_loop/forward_options.h"
#include "chapters/02_naive_loop/kv_rows.h"

namespace llm {

// B, T: rows of the batch and their length, padding included. N: real tokens. K: positions kept.
Logits& FusedModel::forward(const Batch& batch, Cache* past, const ForwardOptions& options) {
  pack(batch, config_, batch_);
  if (past) check_cache(*this, *past, batch_.rows);
  const Index K = positions_to_keep(options, batch_.T), layers = layers_to_run(options, config_);

  const View<float, 2> hidden = hidden_.matrix(batch_.N, config_.hidden_size);
  embed(hidden);
  const Index half = rotary_.half_dim();
  rotary_.angles(batch_.positions, cosines_.matrix(batch_.N, half), sines_.matrix(batch_.N, half));
  show_hidden(0, hidden, batch_, options, padded_);
  for (Index l = 0; l < layers; ++l) {
    decoder_layer(l, hidden, past);
    show_hidden(l + 1, hidden, batch_, options, padded_);
  }
  const View<float, 2> kept = kept_.matrix(batch_.B * K, config_.hidden_size);
  keep_last(hidden, batch_, K, kept);
  const Norm norm = {norm_, static_cast<float>(config_.rms_norm_eps)};
  logits_.set(*operators_, kept, batch_.B, norm, lm_head_);
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

}  // namespace llm
