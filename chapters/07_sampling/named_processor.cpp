#include "chapters/07_sampling/named_processor.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/base/error.h"
#include "common/cli/jsonl.h"
#include "common/config/generation_fields.h"
#include "common/io/near_match.h"

namespace llm {
namespace {

// The further fields of a processor; one that ends in "!" must be there.
struct Extra {
  std::string_view name;
  std::vector<std::string_view> fields;
};
const Extra kExtras[] = {
    {"guidance_scale", {"unconditional_scores!"}},
    {"encoder_repetition_penalty", {"prompt_length"}},
    {"repetition_penalty", {"prompt_ignore_length"}},
    {"encoder_no_repeat_ngram_size", {"prompt_length"}},
    {"bad_words_ids", {"eos_token_id"}},
    {"min_length", {"eos_token_id!"}},
    {"min_new_tokens", {"eos_token_id!", "prompt_length"}},
    {"forced_eos_token_id", {"max_length!"}},
    {"exponential_decay_length_penalty", {"eos_token_id!", "prompt_length"}},
    {"begin_suppress_tokens", {"begin_index"}},
};

// In a config such a value turns the processor off; asked for by name it makes no sense.
constexpr std::string_view kNoOff[] = {"top_k",          "typical_p",  "no_repeat_ngram_size",
                                       "epsilon_cutoff", "eta_cutoff", "encoder_no_repeat_ngram_size"};

const ProcessorKind& find_kind(const JsonReader& name) {
  std::vector<std::string> names;
  for (const ProcessorKind& kind : processor_kinds()) {
    if (kind.field == name.string()) return kind;
    names.emplace_back(kind.field);
  }
  const std::string nearest = near_match(name.string(), names);
  fail(ErrorCode::kUsage,
       {.where = name.place(),
        .what = "unknown processor '" + name.string() + "'",
        .remedy = nearest.empty() ? "the names are those of generation_config's fields, such as top_k"
                                  : "did you mean '" + nearest + "'?"});
}

// Errors: kUsage for a field that this processor does not have, kMissing for one that it needs.
void check_fields(const JsonReader& entry, const ProcessorKind& kind) {
  std::vector<std::string_view> known = {"name", "value"};
  if (kind.part == ProcessorPart::kFilter) known.emplace_back("min_tokens_to_keep");
  const auto* const extra = std::ranges::find(kExtras, kind.field, &Extra::name);
  if (extra != std::end(kExtras))
    for (std::string_view field : extra->fields) {
      const bool needed = field.ends_with('!');
      if (needed) field.remove_suffix(1);
      known.push_back(field);
      if (needed) (void)entry.at(field);
    }
  expect_fields(entry, known);
}

std::vector<Index> read_lengths(const JsonReader& value) {
  if (value.is_array()) return value.integers(0, INT32_MAX);
  return {value.integer(0, INT32_MAX)};
}

UnconditionalLogits read_unconditional(const JsonReader& value, Index V) {
  const auto rows = read_scores(value, V);
  const auto logits = std::make_shared<Tensor<float, 2>>(Tensor<float, 2>({std::ssize(rows), V}));
  for (Index b = 0; b < logits->shape(0); ++b)
    std::ranges::copy(rows[static_cast<std::size_t>(b)], (*logits)[b].begin());
  return [logits](View<const Token, 2>) { return std::as_const(*logits).view(); };
}

void read_extras(const JsonReader& entry, GenerationConfig& config, ProcessorContext& context) {
  if (const auto eos = entry.find("eos_token_id"))
    read_generation_field(config, *find_generation_field("eos_token_id"), *eos);
  if (const auto keep = entry.find("min_tokens_to_keep"))
    context.min_tokens_to_keep = keep->integer(1, INT32_MAX);
  if (const auto ignored = entry.find("prompt_ignore_length")) context.left_padding = read_lengths(*ignored);
  for (const char* field : {"prompt_length", "begin_index"})
    context.prompt_length = entry.integer_or(field, context.prompt_length, 0, INT32_MAX);
  context.max_length = entry.integer_or("max_length", context.max_length, 1, INT32_MAX);
  if (const auto scores = entry.find("unconditional_scores"))
    context.unconditional = read_unconditional(*scores, context.vocab_size);
}

}  // namespace

ProcessorPtr read_named_processor(const JsonReader& entry, ProcessorContext context) {
  entry.expect_object();
  const ProcessorKind& kind = find_kind(entry.at("name"));
  const GenerationField* const field = find_generation_field(kind.field);
  if (field == nullptr)
    fail(ErrorCode::kUnsupported,
         {.where = entry.place(), .what = std::string(kind.field) + " is a function: JSON cannot name one"});
  check_fields(entry, kind);

  GenerationConfig config;
  const std::string where = entry.place() + ": " + std::string(kind.field);
  const Json yes = true;  // a switch needs no value
  const bool is_switch = std::holds_alternative<bool GenerationConfig::*>(field->member);
  read_generation_field(config, *field,
                        JsonReader(is_switch && !entry.has("value") ? yes : entry.at("value").json(), where));
  read_extras(entry, config, context);
  expect_ids_below(config, context.vocab_size, entry.place());
  ProcessorPtr processor = kind.make(config, context);
  if (processor == nullptr && std::ranges::count(kNoOff, kind.field))
    fail(ErrorCode::kRange, {.where = where,
                             .what = "got",
                             .got = generation_field_json(config, *field) + ", which turns it off",
                             .expected = "a value that has an effect"});
  return processor;
}

}  // namespace llm
