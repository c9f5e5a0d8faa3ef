// An engine: something that turns token ids into logits. Chapters 02, 05 and 06 have one each.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "common/config/model_config.h"
#include "common/seams/cache.h"
#include "common/seams/logits.h"
#include "common/tensor/view.h"

namespace llm {

// B rows of T new tokens. Rows that are shorter than T are padded on the left.
struct Batch {
  View<const Token, 2> input_ids = {};      // [B, T], or empty if inputs_embeds is given
  View<const float, 3> inputs_embeds = {};  // [B, T, D]
  View<const Index, 2> position_ids = {};   // [B, T]; values at padding are ignored
  // [B, T] of these tokens only: 1 real, 0 padding; empty: all real
  View<const std::uint8_t, 2> attention_mask = {};
  // [B], each row's row in the cache, all different; empty: 0 .. B-1
  std::span<const Index> rows = {};
};

// Called with 0 and the embeddings, then with l and the output of layer l for l = 1 .. num_layers.
// hidden: [B, T, D], zeros at padding; valid during the call.
using HiddenStateCallback = std::function<void(Index layer, View<const float, 3> hidden)>;

struct ForwardOptions {
  Index logits_to_keep = 0;  // scores for the last that many positions; 0: all T, as in transformers
  std::optional<Index> num_layers = {};  // stop after that many layers (early exit); all by default
  HiddenStateCallback on_hidden_state = {};
};

class CausalLM {
 public:
  virtual ~CausalLM() = default;

  // The engine's name in tables and on the command line: naive, cached, fused, cuda.
  virtual std::string_view name() const = 0;
  virtual const ModelConfig& config() const = 0;

  // Errors: kUnsupported for a kind of cache that this engine does not have.
  virtual std::unique_ptr<Cache> make_cache(const CacheSpec& spec) const = 0;

  // One forward pass over the new tokens, which see the cached ones and each other causally; their keys and
  // values are appended to the cache. Without a cache (nullptr) the batch is all there is.
  // The result belongs to the engine and is valid until its next forward pass.
  // Errors: kShape for sizes that do not fit, kRange for an id outside the vocabulary, a position outside the
  // model's length or right padding, kMismatch for a cache that another engine made.
  virtual Logits& forward(const Batch& batch, Cache* past_key_values, const ForwardOptions& options) = 0;
};

}  // namespace llm
