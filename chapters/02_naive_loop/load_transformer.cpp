// How a Transformer comes into being: its weights, its checks, its caches.
#include <fmt/format.h>

#include "chapters/02_naive_loop/families.h"
#include "chapters/02_naive_loop/transformer.h"
#include "common/base/error.h"

namespace llm {

Transformer::Transformer(ModelConfig config, std::shared_ptr<Checkpoint> checkpoint,
                         TransformerOptions options)
    : config_(std::move(config)),
      options_(std::move(options)),
      loader_(std::move(checkpoint)),
      rotary_(inverse_frequencies(config_.rope_parameters, config_.head_dim),
              attention_scaling(config_.rope_parameters)) {
  load(options_.progress);
}

// V: vocab_size, D: hidden_size.
void Transformer::load(const Progress& progress) {
  const Index V = config_.vocab_size, D = config_.hidden_size;
  const std::string why = fmt::format("vocab_size {}, hidden_size {}", V, D);
  const char* kEmbedding = "model.embed_tokens.weight";
  const char* kHead = "lm_head.weight";

  embed_tokens_ = loader_.unconverted(kEmbedding, V, D, why);
  const Family& family = find_family(config_.model_type);
  for (Index l = 0; l < config_.num_hidden_layers; ++l)
    layers_.push_back(family.load_layer(config_, fmt::format("model.layers.{}.", l), loader_));
  norm_ = loader_.vector("model.norm.weight", D, fmt::format("hidden_size {}", D));
  const bool tied = config_.tie_word_embeddings && !loader_.has(kHead);
  lm_head_ = loader_.matrix(tied ? kEmbedding : kHead, V, D, why);
  loader_.convert(progress);

  unused_tensors_ = tensors_without_place(loader_.checkpoint());
}

std::unique_ptr<Cache> Transformer::make_cache(const CacheSpec& spec) const {
  if (options_.cache_factory) return options_.cache_factory(this, config_, spec);
  fail(ErrorCode::kUnsupported, {.where = "engine '" + options_.name + "'",
                                 .what = "has no cache",
                                 .remedy = "chapter 03 adds one: use the engine 'cached'"});
}

}  // namespace llm
