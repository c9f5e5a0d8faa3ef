// The one table of generation fields: JSON, flags, ranges, help and messages all come from it.
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <variant>

#include "common/config/generation_config.h"

namespace llm {

// Where the field's value is kept; its type decides what JSON it takes.
using GenerationMember =
    std::variant<bool GenerationConfig::*, Index GenerationConfig::*, double GenerationConfig::*,
                 std::string GenerationConfig::*, EarlyStopping GenerationConfig::*,
                 std::optional<Index> GenerationConfig::*, std::optional<double> GenerationConfig::*,
                 std::optional<Token> GenerationConfig::*, std::vector<Token> GenerationConfig::*,
                 std::vector<std::vector<Token>> GenerationConfig::*,
                 std::vector<std::string> GenerationConfig::*, std::vector<SequenceBias> GenerationConfig::*,
                 std::optional<ExponentialDecay> GenerationConfig::*,
                 std::optional<WatermarkingConfig> GenerationConfig::*,
                 std::optional<QuantizedCacheConfig> GenerationConfig::*>;

// Of a number: [min, max], or without the end that is marked as open.
struct NumberRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open_min = false;
  bool open_max = false;

  bool contains(double value) const {
    return (open_min ? value > min : value >= min) && (open_max ? value < max : value <= max);
  }
};

// "an integer from 1 to 2147483647", "a number above 0, at most 1".
std::string range_text(const NumberRange& range, bool integer);

struct GenerationField {
  std::string_view name;
  GenerationMember member;
  std::string_view used_by;        // the first program that honours it
  std::string_view help;           // one line for --help
  NumberRange range = {};          // of a number, and of each token id
  std::optional<double> off = {};  // a number that turns it off, where the default does not already
  std::string_view choices = {};   // of a text: "constant heuristic"
};
std::span<const GenerationField> generation_fields();

// The row of that name, or null.
const GenerationField* find_generation_field(std::string_view name);

// Fields of transformers that the course does not have. They are skipped where they change no token, or
// where their value is `neutral` (as JSON); otherwise `why` is the reason to give.
struct ForeignField {
  std::string_view name;
  std::string_view neutral;  // "" : any value is harmless
  std::string_view why;
};
std::span<const ForeignField> foreign_generation_fields();

// Reads a value that is not null, or writes it. Errors: kFormat, kRange with the reader's place.
void read_generation_field(GenerationConfig& config, const GenerationField& field, const JsonReader& value);
std::string generation_field_json(const GenerationConfig& config, const GenerationField& field);

// Whether the value does nothing: the default, or the one that turns it off.
bool is_neutral(const GenerationConfig& config, const GenerationField& field);

}  // namespace llm
