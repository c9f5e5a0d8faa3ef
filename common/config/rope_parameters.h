// Rotary position embeddings, as a model's config.json describes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/types.h"

namespace llm {

class GgufFile;
class JsonReader;

// How the angles are stretched beyond the length that the model was first trained on.
enum class RopeType { kDefault, kLinear, kLlama3, kYarn };

// "default", "linear", "llama3", "yarn".
std::string_view rope_type_name(RopeType type);

// transformers' `rope_parameters` (5.x), or `rope_theta` and `rope_scaling` (4.x). Values that the type does
// not use keep the defaults below. The formulas are in chapter 02.
struct RopeParameters {
  RopeType rope_type = RopeType::kDefault;
  double rope_theta = 10000.0;  // the base: slot i of Dh/2 turns by rope_theta^(-2i/Dh) a position

  double factor = 1.0;                         // linear, llama3, yarn: how many times longer; more than 0
  Index original_max_position_embeddings = 0;  // llama3, yarn: the length before stretching

  double low_freq_factor = 1.0;   // llama3
  double high_freq_factor = 4.0;  // llama3: more than low_freq_factor

  double beta_fast = 32.0;                 // yarn
  double beta_slow = 1.0;                  // yarn
  std::optional<double> attention_factor;  // yarn: scales cos and sin; unset: from factor and the two below
  std::optional<double> mscale;            // yarn: never 0 (which transformers reads as unset)
  std::optional<double> mscale_all_dim;    // yarn: never 0
  bool truncate = true;                    // yarn: round the ramp's ends to whole slots

  // What slot i's angle a position is divided by, [Dh/2], instead of the formula: GGUF files give llama3's
  // stretching in this form (the tensor rope_freqs.weight). Usually empty.
  std::vector<double> frequency_factors;

  bool operator==(const RopeParameters&) const = default;
};

// From the object of a config.json, in either layout; max_position_embeddings stands in for a length that is
// not given. Sources: transformers 5.23, RotaryEmbeddingConfigMixin. Errors: kMissing for a parameter that
// the type needs, kFormat, kRange, kUnsupported for another type.
RopeParameters rope_parameters_from_json(const JsonReader& config, Index max_position_embeddings);

// From the metadata of a GGUF file whose heads have head_dim slots. Errors: as above, and kShape.
RopeParameters rope_parameters_from_gguf(const GgufFile& file, Index head_dim, Index max_position_embeddings);

}  // namespace llm
