#include "chapters/02_naive_loop/transformer.h"

#include <fmt/format.h>

#include "chapters/02_naive_loop/forward_options.h"
#include "chapters/02_naive_loop/kv_rows.h"
#include "chapters/02_naive_loop/layers.h"
#include "common/tensor/matmul.h"

namespace llm {

// B, T: rows of the batch and their length, padding included. N: real tokens. K: positions kept.
// --8<-- [start:forward]
Logits& Transformer::forward(const Batch& batch, Cache* past, const ForwardOptions& options) {
  PackedBatch& packed = workspace_.batch;
  pack(batch, config_, packed);
  if (past) check_cache(*this, *past, packed.rows);
  const Index K = positions_to_keep(options, packed.T);

  const View<float, 2> hidden = workspace_.hidden.matrix(packed.N, config_.hidden_size);
  if (packed.ids.empty())
    pack_rows(packed.inputs_embeds, packed, hidden);
  else
    embed(packed.ids, hidden);
  body(packed, hidden, past, options);

  const View<float, 2> kept = workspace_.kept.matrix(packed.B * K, config_.hidden_size);
  keep_last(hidden, packed, K, kept);
  const View<float, 2> scores = workspace_.logits.matrix(packed.B * K, config_.vocab_size);
  head(kept, scores);
  logits_.set(scores.reshape<3>({packed.B, K, config_.vocab_size}));
  return logits_;
}
// --8<-- [end:forward]

void Transformer::embed(std::span<const Token> ids, View<float, 2> hidden) const {
  for (std::size_t n = 0; n < ids.size(); ++n) {
    const View<float, 1> row = hidden[static_cast<Index>(n)];
    dequantize_row(embed_tokens_, ids[n], {row.begin(), row.end()});
  }
}

void Transformer::body(const PackedBatch& batch, View<float, 2> hidden, Cache* past,
                       const ForwardOptions& options) {
  const Index layers = layers_to_run(options, config_);
  const Index half = rotary_.half_dim();
  rotary_.angles(batch.positions, workspace_.cosines.matrix(batch.N, half),
                 workspace_.sines.matrix(batch.N, half));
  show_hidden(0, batch, hidden, options);
  for (Index l = 0; l < layers; ++l) {
    decoder_layer(l, batch, hidden, past);
    show_hidden(l + 1, batch, hidden, options);
  }
}

// hidden: [N, D], the residual stream: each block reads it normalised and adds to it.
// --8<-- [start:decoder_layer]
void Transformer::decoder_layer(Index l, const PackedBatch& batch, View<float, 2> hidden, Cache* past) {
  const DecoderLayer& layer = layers_[static_cast<std::size_t>(l)];
  const Index N = batch.N, D = config_.hidden_size, F = config_.intermediate_size;
  const View<float, 2> normed = workspace_.normed.matrix(N, D);
  const View<float, 2> delta = workspace_.delta.matrix(N, D);

  rms_norm(hidden, layer.input_layernorm, config_.rms_norm_eps, normed);
  attend(l, batch, normed, past, delta);
  probe(l, "attn_out", delta);
  add(hidden, delta);

  const View<float, 2> gate = workspace_.gate.matrix(N, F);
  const View<float, 2> up = workspace_.up.matrix(N, F);
  rms_norm(hidden, layer.post_attention_layernorm, config_.rms_norm_eps, normed);
  linear(normed, layer.gate_proj, gate);
  linear(normed, layer.up_proj, up);
  swiglu(gate, up);
  linear(gate, layer.down_proj, delta);
  probe(l, "mlp_out", delta);
  add(hidden, delta);
}
// --8<-- [end:decoder_layer]

// The attention block. normed, out: [N, D]. H, KH, Dh: heads, key/value heads, head_dim.
void Transformer::attend(Index l, const PackedBatch& batch, View<const float, 2> normed, Cache* past,
                         View<float, 2> out) {
  const DecoderLayer& layer = layers_[static_cast<std::size_t>(l)];
  const Index N = batch.N, Dh = config_.head_dim;
  const Index H = config_.num_attention_heads, KH = config_.num_key_value_heads;
  const View<float, 2> q = workspace_.query.matrix(N, H * Dh);
  const View<float, 2> k = workspace_.key.matrix(N, KH * Dh);
  const View<float, 2> v = workspace_.value.matrix(N, KH * Dh);
  // --8<-- [start:project]
  linear(normed, layer.q_proj, q);
  linear(normed, layer.k_proj, k);
  linear(normed, layer.v_proj, v);

  if (!layer.q_norm.empty()) {  // each head on its own: [N*H, Dh]
    const View<float, 2> q_heads = q.reshape<2>({N * H, Dh}), k_heads = k.reshape<2>({N * KH, Dh});
    rms_norm(q_heads, layer.q_norm, config_.rms_norm_eps, q_heads);
    rms_norm(k_heads, layer.k_norm, config_.rms_norm_eps, k_heads);
  }
  const View<float, 3> queries = q.reshape<3>({N, H, Dh});
  const View<float, 3> keys = k.reshape<3>({N, KH, Dh});
  const View<float, 3> values = v.reshape<3>({N, KH, Dh});
  const Index half = rotary_.half_dim();
  const View<const float, 2> cosines = workspace_.cosines.matrix(N, half),
                             sines = workspace_.sines.matrix(N, half);
  rotate(queries, cosines, sines);
  rotate(keys, cosines, sines);
  // --8<-- [end:project]
  probe(l, "q_rope", q);
  probe(l, "k_rope", k);

  const View<float, 2> heads = workspace_.heads.matrix(N, H * Dh);
  find_rows(l, batch, keys, values, past);
  attention(queries, workspace_.rows, KH, config_.window(l), workspace_.attention,
            heads.reshape<3>({N, H, Dh}));
  if (past) past->layer(l).offload();
  linear(heads, layer.o_proj, out);
}

// What each row attends to: all that its cache holds, the new tokens included; or the new tokens only.
void Transformer::find_rows(Index l, const PackedBatch& batch, View<const float, 3> keys,
                            View<const float, 3> values, Cache* past) {
  std::vector<AttentionRow>& rows = workspace_.rows;
  rows.clear();
  for (const RowTokens& tokens : batch.rows)
    rows.push_back({tokens, past ? past->layer(l).get_seq_length(tokens.row) : 0, {}});

  if (past) {
    past->layer((l + 1) % config_.num_hidden_layers).prefetch();
    past->layer(l).update(keys, values, batch.rows);
    for (AttentionRow& row : rows) row.blocks = past->layer(l).blocks(row.tokens.row);
  } else {
    workspace_.blocks.clear();
    for (const RowTokens& tokens : batch.rows)
      workspace_.blocks.push_back({.keys = kv_view(keys.slice(tokens.begin, tokens.count)),
                                   .values = kv_view(values.slice(tokens.begin, tokens.count)),
                                   .first_position = 0,
                                   .length = tokens.count});
    for (std::size_t b = 0; b < rows.size(); ++b) rows[b].blocks = {&workspace_.blocks[b], 1};
  }
}

void Transformer::head(View<const float, 2> hidden, View<float, 2> logits) {
  const View<float, 2> normed = workspace_.normed.matrix(hidden.shape(0), config_.hidden_size);
  rms_norm(hidden, norm_, config_.rms_norm_eps, normed);
  if (probe_) probe_("hidden.norm", normed);
  matmul(normed, float_matrix(lm_head_), logits);
}

// Builds the name only if somebody listens.
void Transformer::probe(Index l, std::string_view what, View<const float, 2> values) const {
  if (probe_) probe_(fmt::format("layer{}.{}", l, what), values);
}

void Transformer::show_hidden(Index layer, const PackedBatch& batch, View<const float, 2> hidden,
                              const ForwardOptions& options) {
  if (probe_) probe_(fmt::format("hidden.{}", layer), hidden);
  llm::show_hidden(layer, hidden, batch, options, workspace_.padded);
}

}  // namespace llm
