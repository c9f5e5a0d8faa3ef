// The tensors that a model's config implies.
#pragma once

#include <vector>

#include "common/config/model_config.h"
#include "common/io/checkpoint.h"

namespace llm {

// Name and shape of every weight, in the order of the model, with Hugging Face's names: the embedding table,
// each layer's (names as in "model.layers.3.self_attn.q_proj.weight"), the final norm, and, unless the
// embeddings are tied, the head. Used for random models, for memory tables and to name what is missing.
std::vector<TensorSpec> tensor_specs(const ModelConfig& config);

// The sum of all their elements: the model's number of parameters.
Index num_parameters(const ModelConfig& config);

}  // namespace llm
