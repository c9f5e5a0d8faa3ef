#include "common/config/rope_parameters.h"

#include <array>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/io/json.h"

namespace llm {
namespace {

constexpr std::array<std::string_view, 4> kTypeNames = {"default", "linear", "llama3", "yarn"};
constexpr Index kMaxLength = Index{1} << 31;

RopeType type_from(const JsonReader& value) {
  for (std::size_t i = 0; i < kTypeNames.size(); ++i)
    if (value.string() == kTypeNames[i]) return static_cast<RopeType>(i);
  fail(ErrorCode::kUnsupported, {.where = value.place(),
                                 .what = "rope type",
                                 .got = "'" + value.string() + "'",
                                 .expected = "default, linear, llama3 or yarn"});
}

double above(double limit, const JsonReader& value) {
  const double number = value.number();
  if (number > limit) return number;
  fail(ErrorCode::kRange, {.where = value.place(),
                           .what = "got",
                           .got = value.json().dump(),
                           .expected = "a number above " + Json(limit).dump()});
}
double positive(const JsonReader& value) { return above(0, value); }

// A number that 0 and null leave unset, as `x or default` does in Python.
std::optional<double> nonzero(const JsonReader& rope, std::string_view key) {
  const auto value = rope.find(key);
  if (!value || value->number() == 0.0) return std::nullopt;
  return value->number();
}

// The object that holds the parameters: `rope_scaling` of the 4.x layout, unless it is empty, or
// `rope_parameters` of the 5.x one.
std::optional<JsonReader> rope_object(const JsonReader& config) {
  for (const char* key : {"rope_scaling", "rope_parameters"})
    if (const auto object = config.find(key)) {
      object->expect_object();
      if (object->size() > 0) return object;
    }
  return std::nullopt;
}

void read_llama3(const JsonReader& rope, RopeParameters& parameters) {
  parameters.factor = positive(rope.at("factor"));
  parameters.low_freq_factor = positive(rope.at("low_freq_factor"));
  parameters.high_freq_factor = above(parameters.low_freq_factor, rope.at("high_freq_factor"));
}

void read_yarn(const JsonReader& rope, Index max_position_embeddings, RopeParameters& parameters) {
  // A factor of null is the ratio of the two lengths; a missing one is an error, as in transformers.
  if (!rope.json().contains("factor")) rope.at("factor");
  const double ratio = static_cast<double>(max_position_embeddings) /
                       static_cast<double>(parameters.original_max_position_embeddings);
  parameters.factor = rope.has("factor") ? positive(rope.at("factor")) : ratio;
  parameters.beta_fast = nonzero(rope, "beta_fast").value_or(parameters.beta_fast);
  parameters.beta_slow = nonzero(rope, "beta_slow").value_or(parameters.beta_slow);
  for (const char* key : {"beta_fast", "beta_slow"})
    if (rope.has(key)) rope.at(key).number(0.0, 1e6);
  if (const auto factor = rope.find("attention_factor")) parameters.attention_factor = factor->number(0, 1e6);
  parameters.mscale = nonzero(rope, "mscale");
  parameters.mscale_all_dim = nonzero(rope, "mscale_all_dim");
  parameters.truncate = rope.boolean_or("truncate", true);
}

// What the course's models never have and would silently compute wrongly.
void refuse_partial_rotation(const JsonReader& object) {
  if (const auto part = object.find("partial_rotary_factor"); part && part->number() != 1.0)
    fail(ErrorCode::kUnsupported, {.where = part->place(),
                                   .what = "rope over a part of the head",
                                   .got = part->json().dump(),
                                   .expected = "1.0"});
}

// One set of parameters for each type of layer, as some families have it.
void refuse_nested(const JsonReader& rope) {
  for (const char* key : {"full_attention", "sliding_attention"})
    if (const auto nested = rope.find(key))
      fail(ErrorCode::kUnsupported, {.where = nested->place(),
                                     .what = "rope parameters for one type of layer",
                                     .expected = "one set for all layers"});
}

}  // namespace

std::string_view rope_type_name(RopeType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

RopeParameters rope_parameters_from_json(const JsonReader& config, Index max_position_embeddings) {
  RopeParameters parameters;
  const auto rope = rope_object(config);
  refuse_partial_rotation(config);

  auto theta = config.find("rope_theta");
  if (rope && rope->has("rope_theta")) theta = rope->at("rope_theta");
  if (theta) parameters.rope_theta = above(1, *theta);
  if (!rope) return parameters;

  refuse_nested(*rope);
  refuse_partial_rotation(*rope);
  auto type = rope->find("rope_type");
  if (!type) type = rope->find("type");
  if (type) parameters.rope_type = type_from(*type);

  if (parameters.rope_type == RopeType::kLlama3 || parameters.rope_type == RopeType::kYarn) {
    auto length = config.find("original_max_position_embeddings");
    if (!length) length = rope->find("original_max_position_embeddings");
    parameters.original_max_position_embeddings =
        length ? length->integer(1, kMaxLength) : max_position_embeddings;
  }
  switch (parameters.rope_type) {
    case RopeType::kDefault: break;
    case RopeType::kLinear: parameters.factor = positive(rope->at("factor")); break;
    case RopeType::kLlama3: read_llama3(*rope, parameters); break;
    case RopeType::kYarn: read_yarn(*rope, max_position_embeddings, parameters); break;
  }
  return parameters;
}

}  // namespace llm
