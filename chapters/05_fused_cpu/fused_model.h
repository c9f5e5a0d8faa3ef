// The engine "fused": the same forward pass as chapter 02's, made of operators that belong together, on
// weights in the file's own format.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/packed_batch.h"
#include "chapters/02_naive_loop/rotary.h"
#include "chapters/02_naive_loop/weight_loader.h"
#include "chapters/05_fused_cpu/fused_logits.h"
#include "chapters/05_fused_cpu/operators.h"
#include "common/seams/causal_lm.h"

namespace llm {

class FusedModel : public CausalLM {
 public:
  // operators: those of a step of the ladder. The checkpoint's weights are loaded into memory in large pages
  // first (see Checkpoint), unless the options of the operators say that they are to stay in the file, or the
  // machine has no such pages or too little memory. progress: of that, in bytes. Vectors become float32.
  // Errors: as Transformer's constructor.
  FusedModel(ModelConfig config, std::shared_ptr<Checkpoint> checkpoint, std::unique_ptr<Operators> operators,
             const Progress& progress = {});

  std::string_view name() const override { return "fused"; }
  const ModelConfig& config() const override { return config_; }
  std::unique_ptr<Cache> make_cache(const CacheSpec& spec) const override;  // any of chapter 04's
  Logits& forward(const Batch& batch, Cache* past_key_values, const ForwardOptions& options) override;

  // Tensors of the checkpoint that the model has no place for.
  const std::vector<std::string>& unused_tensors() const { return unused_tensors_; }
  Operators& operators() { return *operators_; }

 private:
  void load();
  void embed(View<float, 2> hidden) const;
  void decoder_layer(Index l, View<float, 2> hidden, Cache* past);
  void attend(Index l, View<const float, 2> hidden, Cache* past, View<float, 3> heads);
  void norm_and_rotate(const DecoderLayer& layer, View<float, 3> queries, View<float, 3> keys);
  void find_rows(Index l, View<const float, 3> keys, View<const float, 3> values, Cache* past);

  ModelConfig config_;
  WeightLoader loader_;  // owns the weights
  std::unique_ptr<Operators> operators_;
  std::vector<std::string> unused_tensors_;

  Weight embed_tokens_;  // [V, D]
  std::vector<DecoderLayer> layers_;
  View<const float, 1> norm_;  // [D]
  Linear lm_head_;             // [V, D]
  RotaryEmbedding rotary_;

  // Of the pass at hand.
  PackedBatch batch_;
  std::vector<AttentionRow> rows_;
  std::vector<KvBlock> blocks_;
  Buffer hidden_, query_, key_, value_, heads_, cosines_, sines_, kept_, padded_;
  FusedLogits logits_;
};

}  // namespace llm
