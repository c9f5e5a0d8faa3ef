// The forward pass: from token ids to logits. Llama, Qwen2 and Qwen3; with a cache or without.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/02_naive_loop/decoder_layer.h"
#include "chapters/02_naive_loop/host_logits.h"
#include "chapters/02_naive_loop/rotary.h"
#include "chapters/02_naive_loop/weight_loader.h"
#include "chapters/02_naive_loop/workspace.h"
#include "common/seams/causal_lm.h"

namespace llm {

// Makes the caches of an engine (chapters 03 and 04). maker: the engine, for Cache's constructor.
using CacheFactory = std::function<std::unique_ptr<Cache>(const void* maker, const ModelConfig& config,
                                                          const CacheSpec& spec)>;

// Called with intermediate results, for those who look for the first difference to another implementation:
// "layer0.q_rope" [N, H*Dh], "layer0.k_rope" [N, KH*Dh], "layer0.attn_out", "layer0.mlp_out", "hidden.0" to
// "hidden.L" and "hidden.norm", all [N, D], N the batch's real tokens. "hidden.norm" has the kept positions
// only. The values are valid during the call.
using Probe = std::function<void(const std::string& name, View<const float, 2> values)>;

struct TransformerOptions {
  std::string name = "naive";
  CacheFactory cache_factory = {};  // none: make_cache() is an error
  Progress progress = {};           // of making float32 copies, in bytes
};

class Transformer : public CausalLM {
 public:
  // Looks all weights up and makes float32 copies of those that are not float32 (the embedding table stays as
  // it is unless it is the head too). A head in the file is used even if the config ties it to the
  // embeddings. Errors: kMissing and kShape with name, shape and expected shape; kUnsupported for an unknown
  // model_type.
  Transformer(ModelConfig config, std::shared_ptr<Checkpoint> checkpoint, TransformerOptions options = {});

  std::string_view name() const override { return options_.name; }
  const ModelConfig& config() const override { return config_; }
  std::unique_ptr<Cache> make_cache(const CacheSpec& spec) const override;
  Logits& forward(const Batch& batch, Cache* past_key_values, const ForwardOptions& options) override;

  // The three parts of forward(), one after the other. D: hidden_size. V: vocab_size.
  // The rows of the embedding table: ids [N] -> hidden [N, D].
  void embed(std::span<const Token> ids, View<float, 2> hidden) const;
  // The layers, in place: hidden [N, D]. past may be null.
  void body(const PackedBatch& batch, View<float, 2> hidden, Cache* past, const ForwardOptions& options);
  // Final norm and scores: hidden [M, D] -> logits [M, V].
  void head(View<const float, 2> hidden, View<float, 2> logits);

  void set_probe(Probe probe) { probe_ = std::move(probe); }
  Workspace& workspace() { return workspace_; }

  // Tensors of the checkpoint that the model has no place for.
  const std::vector<std::string>& unused_tensors() const { return unused_tensors_; }
  Index weight_bytes() const { return loader_.checkpoint().weight_bytes(); }  // as in the file
  Index copied_bytes() const { return loader_.copied_bytes(); }               // float32 copies

 private:
  void load(const Progress& progress);
  void decoder_layer(Index l, const PackedBatch& batch, View<float, 2> hidden, Cache* past);
  void attend(Index l, const PackedBatch& batch, View<const float, 2> normed, Cache* past,
              View<float, 2> out);
  void find_rows(Index l, const PackedBatch& batch, View<const float, 3> keys, View<const float, 3> values,
                 Cache* past);
  void show_hidden(Index layer, const PackedBatch& batch, View<const float, 2> hidden,
                   const ForwardOptions& options);
  void probe(Index l, std::string_view what, View<const float, 2> values) const;

  ModelConfig config_;
  TransformerOptions options_;
  WeightLoader loader_;  // owns the weights
  std::vector<std::string> unused_tensors_;

  Weight embed_tokens_;  // [V, D], in the file's format: only a few rows are looked at
  std::vector<DecoderLayer> layers_;
  View<const float, 1> norm_;  // [D]
  Weight lm_head_;             // [V, D]
  RotaryEmbedding rotary_;

  Workspace workspace_;
  HostLogits logits_;
  Probe probe_;
};

}  // namespace llm
