// What the tests of the engine "fused" share: models in both engines, texts, and passes in chunks.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/full_batch.h"
#include "chapters/02_naive_loop/transformer.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/04_preallocated_cache/cache_spec.h"
#include "chapters/05_fused_cpu/fused_model.h"
#include "chapters/05_fused_cpu/ladder_steps.h"
#include "common/base/parallel.h"
#include "tests/02_naive_loop/fixtures.h"
#include "tests/02_naive_loop/random_model.h"
#include "tests/04_preallocated_cache/test_memory.h"
#include "tests/common/seams/causal_lm_conformance.h"

namespace llm::test {

// Chapter 02 and the conversions keep to one thread: theirs would wait, busily, beside those of the team.
inline const bool kOneOpenMpThread = (set_num_threads(1), true);

// The engine on a step of the ladder; without one, on the last.
inline std::unique_ptr<FusedModel> fused(const ModelConfig& config, std::shared_ptr<Checkpoint> checkpoint,
                                         const FusedOptions& options = {}, const LadderStep* step = nullptr) {
  return std::make_unique<FusedModel>(config, std::move(checkpoint),
                                      step ? step->make(options) : make_operators(options));
}
inline std::unique_ptr<FusedModel> load_fused(const std::string& name, const FusedOptions& options = {},
                                              const LadderStep* step = nullptr) {
  const auto path = model_path(name);
  return fused(load_model_config(path), Checkpoint::open(path), options, step);
}

// Sizes that every format's blocks divide, but no panel of rows does: H = 4 heads of 32, KH = 2, D = 64,
// F = 96, V = 83.
inline ModelConfig block_config(const std::string& family) {
  ModelConfig config = awkward_config(family);
  config.vocab_size = 83;
  config.hidden_size = 64;
  config.intermediate_size = 96;
  config.num_attention_heads = 4;
  config.num_key_value_heads = 2;
  config.head_dim = 32;
  return config;
}

// Random weights in another format, all matrices of them.
inline std::shared_ptr<Checkpoint> checkpoint_in(const ModelConfig& config, DType dtype, std::uint64_t seed) {
  const auto checkpoint = to_checkpoint(config, random_weights(config, seed));
  if (dtype != DType::kF32) checkpoint->convert(dtype);
  return checkpoint;
}

// Ids that do not repeat soon. Different rows have different ones.
inline std::vector<Token> text(Index length, Index vocab_size, Index row = 0) {
  std::vector<Token> ids;
  for (Index i = 0; i < length; ++i)
    ids.push_back(static_cast<Token>((i * i * 3 + i * (7 + row) + 5 + 11 * row) % vocab_size));
  return ids;
}

inline std::vector<float> copy(View<const float, 3> scores) {
  return {scores.data(), scores.data() + scores.size()};
}
inline std::vector<float> scores(CausalLM& model, const Batch& batch, Cache* cache = nullptr,
                                 const ForwardOptions& options = {}) {
  return copy(model.forward(batch, cache, options).host());
}
inline std::vector<float> scores(CausalLM& model, const std::vector<std::vector<Token>>& rows) {
  return scores(model, PaddedBatch(rows).batch());
}

// The logits [T, V] of one row that is fed in chunks.
inline std::vector<float> in_chunks(CausalLM& model, Cache& cache, const std::vector<Token>& ids,
                                    Index chunk) {
  std::vector<float> logits;
  for (Index first = 0; first < static_cast<Index>(ids.size()); first += chunk) {
    const auto begin = ids.begin() + first;
    const auto end = ids.begin() + std::min(first + chunk, static_cast<Index>(ids.size()));
    const PaddedBatch batch({std::vector<Token>(begin, end)}, {first});
    const std::vector<float> piece = scores(model, batch.batch(), &cache);
    logits.insert(logits.end(), piece.begin(), piece.end());
  }
  return logits;
}

// Whether the last row of scores [.., V] of both are the same bits.
inline bool same_last(const std::vector<float>& a, const std::vector<float>& b, Index V) {
  return std::equal(a.end() - V, a.end(), b.end() - V, b.end());
}

// Every kind of cache, in each of its number formats, offloaded or not. Memory is NaN before it is written.
inline std::vector<CacheSpec> all_specs(KvMemory* memory, Index max_cache_len) {
  std::vector<CacheSpec> specs;
  for (const bool offload : {false, true})
    for (const char* dtype : {"f32", "bf16", "f16"})
      for (const CacheKind* kind : all_cache_kinds()) {
        const bool codes = kind->name == std::string("int8") || kind->name == std::string("int4");
        CacheSpec spec{.cache = std::string(kind->name),
                       .cache_dtype = dtype,
                       .offload = offload,
                       .max_cache_len = max_cache_len,
                       .max_chunk = 6,
                       .memory = memory};
        if (codes) spec.residual_length = 3;
        specs.push_back(spec);
      }
  return specs;
}

}  // namespace llm::test
