#include <bit>
#include <cmath>
#include <cstring>

#include "common/base/error.h"
#include "common/config/rope_parameters.h"
#include "common/io/gguf.h"

namespace llm {
namespace {

// The stretching of llama3 is in the file as a tensor of divisors, one a slot.
std::vector<double> read_frequency_factors(const GgufFile& file, Index head_dim) {
  for (const TensorEntry& tensor : file.tensors()) {
    if (tensor.name != "rope_freqs.weight") continue;
    const std::string where = file.file()->name() + ": tensor 'rope_freqs.weight'";
    if (tensor.dtype != DType::kF32)
      fail(ErrorCode::kUnsupported,
           {.where = where, .what = "dtype", .got = tensor.dtype_name, .expected = "F32"});
    if (tensor.shape != std::vector<Index>{head_dim / 2})
      fail(ErrorCode::kShape, {.where = where,
                               .what = "shape",
                               .got = shape_text(tensor.shape),
                               .expected = "[" + std::to_string(head_dim / 2) + "]" + " (half of head_dim)"});
    std::vector<float> values(static_cast<std::size_t>(head_dim / 2));
    std::memcpy(values.data(), file.file()->bytes().data() + tensor.offset, values.size() * sizeof(float));
    for (const float value : values)
      if (!(value > 0.0F) || std::isinf(value))
        fail(ErrorCode::kRange,
             {.where = where, .what = "got", .got = std::to_string(value), .expected = "numbers above 0"});
    return {values.begin(), values.end()};
  }
  return {};
}

double positive(const GgufFile& file, const std::string& key, double fallback) {
  const double value = file.number_or(key, fallback);
  if (value > 0.0 && std::isfinite(value)) return value;
  fail(ErrorCode::kRange, {.where = file.file()->name() + ": " + key,
                           .what = "got",
                           .got = std::to_string(value),
                           .expected = "a number above 0"});
}

}  // namespace

RopeParameters rope_parameters_from_gguf(const GgufFile& file, Index head_dim,
                                         Index max_position_embeddings) {
  const std::string rope = std::string(file.architecture()) + ".rope.";
  const std::string scaling = rope + "scaling.";
  RopeParameters parameters;
  parameters.rope_theta = positive(file, rope + "freq_base", parameters.rope_theta);
  if (parameters.rope_theta <= 1.0)
    fail(ErrorCode::kRange, {.where = file.file()->name() + ": " + rope + "freq_base",
                             .what = "got",
                             .got = std::to_string(parameters.rope_theta),
                             .expected = "a number above 1"});
  if (file.integer_or(rope + "dimension_count", head_dim) != head_dim)
    fail(ErrorCode::kUnsupported, {.where = file.file()->name() + ": " + rope + "dimension_count",
                                   .what = "rope over a part of the head",
                                   .got = std::to_string(file.integer(rope + "dimension_count")),
                                   .expected = std::to_string(head_dim) + " (the head's length)"});
  parameters.frequency_factors = read_frequency_factors(file, head_dim);
  if (!parameters.frequency_factors.empty()) parameters.rope_type = RopeType::kLlama3;

  const double old_factor = positive(file, rope + "scale_linear", 1.0);
  const std::string_view type = file.string_or(scaling + "type", old_factor != 1.0 ? "linear" : "none");
  if (type == "none") return parameters;
  parameters.factor = positive(file, scaling + "factor", old_factor);
  if (type == "linear") {
    parameters.rope_type = RopeType::kLinear;
  } else if (type == "yarn") {
    parameters.rope_type = RopeType::kYarn;
    parameters.original_max_position_embeddings =
        file.integer_or(scaling + "original_context_length", max_position_embeddings, 1, Index{1} << 31);
    parameters.beta_fast = positive(file, scaling + "yarn_beta_fast", parameters.beta_fast);
    parameters.beta_slow = positive(file, scaling + "yarn_beta_slow", parameters.beta_slow);
    // llama.cpp multiplies what the paper gives; Hugging Face's attention_factor replaces it.
    const double extra = positive(file, scaling + "attn_factor", 1.0);
    if (extra != 1.0) parameters.attention_factor = extra * (0.1 * std::log(parameters.factor) + 1.0);
  } else {
    fail(ErrorCode::kUnsupported, {.where = file.file()->name() + ": " + scaling + "type",
                                   .what = "rope type",
                                   .got = "'" + std::string(type) + "'",
                                   .expected = "none, linear or yarn"});
  }
  return parameters;
}

}  // namespace llm
