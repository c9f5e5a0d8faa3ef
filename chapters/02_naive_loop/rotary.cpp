#include "chapters/02_naive_loop/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chapters/02_naive_loop/each_row.h"

namespace llm {
namespace {

using std::numbers::pi;

// theta^(2i/Dh), rounded to float once: the exponent is a float, as in transformers.
float slot_power(const RopeParameters& rope, Index slot, Index head_dim) {
  // --8<-- [start:ex02-2]
  const float exponent = static_cast<float>(2 * slot) / static_cast<float>(head_dim);
  const double power = std::pow(rope.rope_theta, static_cast<double>(exponent));
  return static_cast<float>(power);
  // --8<-- [end:ex02-2]
}

// Wavelengths (positions a full turn) beyond the first training length over low_freq_factor are stretched,
// those below it over high_freq_factor kept.
float llama3_frequency(float frequency, const RopeParameters& rope) {
  const auto length = static_cast<float>(rope.original_max_position_embeddings);
  const auto factor = static_cast<float>(rope.factor);
  const auto low = static_cast<float>(rope.low_freq_factor);
  const auto high = static_cast<float>(rope.high_freq_factor);
  const float wavelength = 1.0f / frequency * static_cast<float>(2 * pi);
  if (wavelength < length / high) return frequency;
  if (wavelength > length / low) return frequency / factor;
  const float keep =
      (1.0f / wavelength * length - low) / static_cast<float>(rope.high_freq_factor - rope.low_freq_factor);
  return (1.0f - keep) * frequency / factor + keep * frequency;
}

struct YarnRamp {
  double begin = 0;  // slots below keep their frequency
  double end = 0;    // slots above are stretched
};

YarnRamp yarn_ramp(const RopeParameters& rope, Index head_dim) {
  // The slot that turns `turns` times within the first training length.
  const auto slot_of = [&](double turns) {
    const double length = static_cast<double>(rope.original_max_position_embeddings);
    return static_cast<double>(head_dim) * std::log(length / (turns * 2 * pi)) /
           (2 * std::log(rope.rope_theta));
  };
  YarnRamp ramp{slot_of(rope.beta_fast), slot_of(rope.beta_slow)};
  if (rope.truncate) ramp = {std::floor(ramp.begin), std::ceil(ramp.end)};
  ramp = {std::max(ramp.begin, 0.0), std::min(ramp.end, static_cast<double>(head_dim - 1))};
  if (ramp.begin == ramp.end) ramp.end += 0.001;  // a step instead of a division by zero
  return ramp;
}

float yarn_frequency(float power, Index slot, const YarnRamp& ramp, const RopeParameters& rope) {
  const float along =
      (static_cast<float>(slot) - static_cast<float>(ramp.begin)) / static_cast<float>(ramp.end - ramp.begin);
  const float keep = 1.0f - std::clamp(along, 0.0f, 1.0f);
  const float stretched = 1.0f / (static_cast<float>(rope.factor) * power);
  return stretched * (1.0f - keep) + 1.0f / power * keep;
}

}  // namespace

std::vector<float> inverse_frequencies(const RopeParameters& rope, Index head_dim) {
  std::vector<float> frequencies(static_cast<std::size_t>(head_dim / 2));
  const bool has_factors = !rope.frequency_factors.empty();
  const YarnRamp ramp = rope.rope_type == RopeType::kYarn ? yarn_ramp(rope, head_dim) : YarnRamp{};
  for (Index slot = 0; slot < head_dim / 2; ++slot) {
    const float power = slot_power(rope, slot, head_dim);
    float& frequency = frequencies[static_cast<std::size_t>(slot)];
    frequency = 1.0f / power;
    if (has_factors) {
      frequency /= static_cast<float>(rope.frequency_factors[static_cast<std::size_t>(slot)]);
      continue;
    }
    switch (rope.rope_type) {
      case RopeType::kDefault: break;
      case RopeType::kLinear: frequency /= static_cast<float>(rope.factor); break;
      case RopeType::kLlama3: frequency = llama3_frequency(frequency, rope); break;
      case RopeType::kYarn: frequency = yarn_frequency(power, slot, ramp, rope); break;
    }
  }
  return frequencies;
}

float attention_scaling(const RopeParameters& rope) {
  if (rope.rope_type != RopeType::kYarn) return 1.0f;
  if (rope.attention_factor) return static_cast<float>(*rope.attention_factor);
  const auto correction = [&](double mscale) {
    return rope.factor <= 1 ? 1.0 : 0.1 * mscale * std::log(rope.factor) + 1.0;
  };
  if (rope.mscale && rope.mscale_all_dim)
    return static_cast<float>(correction(*rope.mscale) / correction(*rope.mscale_all_dim));
  return static_cast<float>(correction(1.0));
}

void RotaryEmbedding::angles(std::span<const Index> positions, View<float, 2> cosines,
                             View<float, 2> sines) const {
  each_row(static_cast<Index>(positions.size()), 8 * half_dim(), [&](Index n) {
    const auto position = static_cast<float>(positions[static_cast<std::size_t>(n)]);
    for (Index i = 0; i < half_dim(); ++i) {
      const float angle = position * frequencies_[static_cast<std::size_t>(i)];
      cosines(n, i) = std::cos(angle) * scaling_;
      sines(n, i) = std::sin(angle) * scaling_;
    }
  });
}

void rotate(View<float, 3> x, View<const float, 2> cosines, View<const float, 2> sines) {
  const Index half = x.shape(2) / 2;
  // --8<-- [start:ex02-3]
  each_row(x.shape(0), x.shape(1) * x.shape(2), [&](Index n) {
    const float* c = cosines[n].begin();
    const float* s = sines[n].begin();
    for (Index h = 0; h < x.shape(1); ++h) {
      float* first = x[n][h].begin();
      float* second = first + half;
      for (Index i = 0; i < half; ++i) {
        const float a = first[i];
        const float b = second[i];
        first[i] = a * c[i] - b * s[i];
        second[i] = b * c[i] + a * s[i];
      }
    }
  });
  // --8<-- [end:ex02-3]
}

}  // namespace llm
