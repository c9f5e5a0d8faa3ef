// How a FusedModel comes into being: its weights, its checks, its caches.
#include <fmt/format.h>

#include "chapters/02_naive_loop/families.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_memory.h"
#include "chapters/05_fused_cpu/fused_model.h"
#include "common/base/error.h"
#include "common/base/large_pages.h"
#include "common/config/tensor_specs.h"

namespace llm {
namespace {

// If not, load() says what is missing, and why it should be there: before a gigabyte has been copied.
bool is_whole(const Checkpoint& checkpoint, const ModelConfig& config) try {
  for (const TensorSpec& spec : tensor_specs(config)) checkpoint.expect(spec.name, spec.shape);
  return true;
} catch (const Error&) {
  return false;
}

// Copies in large pages are read faster than a mapped file. They leave room for caches, and for others.
std::shared_ptr<Checkpoint> in_large_pages(std::shared_ptr<Checkpoint> checkpoint, const ModelConfig& config,
                                           const FusedOptions& options, const Progress& progress) {
  const bool fits = checkpoint->weight_bytes() < machine_memory_bytes() / 2;
  if (!options.mapped_weights && fits && large_pages_available() && is_whole(*checkpoint, config))
    checkpoint->load_into_memory(progress);
  return checkpoint;
}

}  // namespace

FusedModel::FusedModel(ModelConfig config, std::shared_ptr<Checkpoint> checkpoint,
                       std::unique_ptr<Operators> operators, const Progress& progress)
    : config_(std::move(config)),
      loader_(in_large_pages(std::move(checkpoint), config_, operators->options(), progress),
              MatrixFormat::kFile),
      operators_(std::move(operators)),
      rotary_(inverse_frequencies(config_.rope_parameters, config_.head_dim),
              attention_scaling(config_.rope_parameters)) {
  load();
}

// V: vocab_size, D: hidden_size.
void FusedModel::load() {
  const Index V = config_.vocab_size, D = config_.hidden_size;
  const std::string why = fmt::format("vocab_size {}, hidden_size {}", V, D);
  const char* kEmbedding = "model.embed_tokens.weight";
  const char* kHead = "lm_head.weight";

  embed_tokens_ = loader_.matrix(kEmbedding, V, D, why);
  const Family& family = find_family(config_.model_type);
  for (Index l = 0; l < config_.num_hidden_layers; ++l)
    layers_.push_back(family.load_layer(config_, fmt::format("model.layers.{}.", l), loader_));
  norm_ = loader_.vector("model.norm.weight", D, fmt::format("hidden_size {}", D));
  const bool tied = config_.tie_word_embeddings && !loader_.has(kHead);
  lm_head_.weight = loader_.matrix(tied ? kEmbedding : kHead, V, D, why);
  loader_.convert({});  // the vectors: norms and biases
  unused_tensors_ = tensors_without_place(loader_.checkpoint());
}

std::unique_ptr<Cache> FusedModel::make_cache(const CacheSpec& spec) const {
  return make_any_cache(this, config_, spec);
}

}  // namespace llm
