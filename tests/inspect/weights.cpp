// What a model's tensors are for and how many parameters they are; for which lengths its caches are shown.
#include <algorithm>
#include <array>
#include <string_view>

#include "common/config/tensor_specs.h"
#include "tests/inspect/inspection.h"

namespace llm {
namespace {

bool has(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

std::string_view part_of(std::string_view name) {
  if (has(name, "norm")) return "norms";
  if (has(name, "embed_tokens")) return "embedding";
  if (has(name, ".self_attn.")) return "attention";
  if (has(name, ".mlp.")) return "mlp";
  if (has(name, "lm_head")) return "head";
  return "other";
}

// Parameters of the parts in their order; parts without any are left out, "other" too.
class PartCounter {
 public:
  void add(std::string_view name, const std::vector<Index>& shape, Index bytes) {
    Index parameters = 1;
    for (const Index extent : shape) parameters *= extent;
    const auto part = std::ranges::find(parts_, part_of(name), &Part::name);
    part->parameters += parameters;
    part->bytes += bytes;
  }
  std::vector<Part> parts() const {
    std::vector<Part> result;
    std::ranges::copy_if(parts_, std::back_inserter(result),
                         [](const Part& part) { return part.parameters > 0; });
    return result;
  }

 private:
  std::vector<Part> parts_ = {{"embedding"}, {"attention"}, {"mlp"}, {"norms"}, {"head"}, {"other"}};
};

// Where the numbers of a weight's shape come from.
std::string why(const ModelConfig& c, std::string_view name) {
  const std::string hidden = "hidden_size " + std::to_string(c.hidden_size);
  const std::string inner = "intermediate_size " + std::to_string(c.intermediate_size);
  const std::string head_dim = "head_dim " + std::to_string(c.head_dim);
  const std::string queries =
      "num_attention_heads " + std::to_string(c.num_attention_heads) + " * " + head_dim;
  const std::string keys = "num_key_value_heads " + std::to_string(c.num_key_value_heads) + " * " + head_dim;
  if (has(name, "embed_tokens") || has(name, "lm_head"))
    return "vocab_size " + std::to_string(c.vocab_size) + ", " + hidden;
  if (has(name, "q_norm") || has(name, "k_norm")) return head_dim;
  if (has(name, "norm")) return hidden;
  const bool bias = name.ends_with(".bias");
  if (has(name, "q_proj")) return bias ? queries : queries + ", " + hidden;
  if (has(name, "k_proj") || has(name, "v_proj")) return bias ? keys : keys + ", " + hidden;
  if (has(name, "o_proj")) return bias ? hidden : hidden + ", " + queries;
  if (has(name, "down_proj")) return bias ? hidden : hidden + ", " + inner;
  return bias ? inner : inner + ", " + hidden;
}

}  // namespace

void check_weights(const ModelConfig& config, Checkpoint& checkpoint, std::vector<std::string>& warnings) {
  constexpr std::string_view kHead = "lm_head.weight";
  std::vector<std::string> expected;
  for (const TensorSpec& spec : tensor_specs(config)) {
    checkpoint.expect(spec.name, spec.shape, why(config, spec.name));
    expected.push_back(spec.name);
  }
  if (config.tie_word_embeddings && checkpoint.has(kHead)) {
    checkpoint.expect(kHead, std::array{config.vocab_size, config.hidden_size}, why(config, kHead));
    expected.emplace_back(kHead);
  }
  std::ranges::sort(expected);
  for (const Checkpoint::Entry& entry : checkpoint.entries()) {
    const std::string& name = entry.tensor.name;
    const bool known = name == "rope_freqs.weight" || name.ends_with(".rotary_emb.inv_freq");
    if (!known && !std::ranges::binary_search(expected, name))
      warnings.push_back("tensor '" + name + "' is no part of this model");
  }
}

std::vector<Part> parameters_by_part(const Checkpoint& checkpoint) {
  PartCounter counter;
  for (const Checkpoint::Entry& entry : checkpoint.entries())
    counter.add(entry.tensor.name, entry.tensor.shape, entry.tensor.bytes);
  return counter.parts();
}

std::vector<Part> parameters_by_part(const ModelConfig& config) {
  PartCounter counter;
  for (const TensorSpec& spec : tensor_specs(config)) counter.add(spec.name, spec.shape, 0);
  return counter.parts();
}

std::vector<Index> cache_lengths(const ModelConfig& config) {
  std::vector<Index> lengths = {1024, 4096, 32768, config.max_position_embeddings};
  std::erase_if(lengths, [&](Index length) { return length > config.max_position_embeddings; });
  std::ranges::sort(lengths);
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

}  // namespace llm
