#include "chapters/05_fused_cpu/step_work.h"

#include <algorithm>
#include <array>

#include "chapters/02_naive_loop/flops.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "common/config/tensor_specs.h"

namespace llm {

WeightFormats weight_formats(const ModelConfig& config, Checkpoint& checkpoint, const Operators& operators) {
  WeightFormats formats;
  const std::string kEmbedding = "model.embed_tokens.weight", kHead = "lm_head.weight";
  std::array<Index, kNumDTypes> bytes{};
  const auto add = [&](const std::string& name, Index rows, Index cols) {
    const Weight weight = checkpoint.matrix(name, rows, cols);
    bytes[static_cast<std::size_t>(weight.dtype)] += weight.bytes();
    formats.step_bytes += weight.bytes();
    if (operators.rounds(weight)) formats.rounded_bytes += weight.bytes();
  };
  for (const TensorSpec& spec : tensor_specs(config))
    if (spec.shape.size() == 2 && spec.name != kEmbedding && spec.name != kHead)
      add(spec.name, spec.shape[0], spec.shape[1]);
  add(checkpoint.has(kHead) ? kHead : kEmbedding, config.vocab_size, config.hidden_size);

  for (auto most = std::ranges::max_element(bytes); *most > 0; most = std::ranges::max_element(bytes)) {
    const auto dtype = static_cast<DType>(most - bytes.begin());
    formats.names += (formats.names.empty() ? "" : ", ") + std::string(dtype_name(dtype));
    *most = 0;
  }
  return formats;
}

Index float32_step_bytes(const ModelConfig& config) {
  const Index flops = config.num_hidden_layers * linear_flops(config) + head_flops(config);
  return flops / 2 * static_cast<Index>(sizeof(float));  // a multiplication and an addition for each weight
}

Index cached_step_bytes(const ModelConfig& config, CacheSpec spec, Index tokens) {
  spec.max_cache_len = std::max<Index>(1, tokens);
  return cache_bytes(all_cache_kinds(), config, spec, tokens);
}

}  // namespace llm
