// Small models with random weights and awkward sizes, and a second forward pass to compare with.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/transformer.h"

namespace llm::test {

using WeightMap = std::map<std::string, std::vector<float>>;

// H = 6 heads of 6, KH = 2, D = 20, F = 23, V = 37, L = 3: nothing is a multiple of a vector.
ModelConfig awkward_config(const std::string& model_type);

// Uniform values, of a size that keeps the layers' outputs near 1; norms and biases around 0.5.
WeightMap random_weights(const ModelConfig& config, std::uint64_t seed);
std::shared_ptr<Checkpoint> to_checkpoint(const ModelConfig& config, const WeightMap& weights);

// The logits [T, V] of one sequence, in double precision, straight from the formulas: full matrices, a mask
// of minus infinities, every key and value head repeated for its queries.
std::vector<float> oracle_logits(const ModelConfig& config, const WeightMap& weights,
                                 const std::vector<Token>& ids);

}  // namespace llm::test
