// How to generate: the fields of Hugging Face's generation_config.json.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/types.h"

namespace llm {

struct GenerationField;
struct ModelConfig;
class JsonReader;

enum class EarlyStopping { kFalse, kTrue, kNever };

// From `start` new tokens on, an end token's score rises by |score| * (factor^(new - start) - 1).
struct ExponentialDecay {
  Index start = 0;
  double factor = 1.0;
  bool operator==(const ExponentialDecay&) const = default;
};

// A bias for the last id of a sequence, wherever the others stand before it. May be minus infinity.
struct SequenceBias {
  std::vector<Token> ids;
  double bias = 0.0;
  bool operator==(const SequenceBias&) const = default;
};

// transformers' WatermarkingConfig.
struct WatermarkingConfig {
  double greenlist_ratio = 0.25;
  double bias = 2.0;
  Index hashing_key = 15485863;
  std::string seeding_scheme = "lefthash";  // or selfhash
  Index context_width = 1;
  bool operator==(const WatermarkingConfig&) const = default;
};

// The part of transformers' `cache_config` that quantized caches have.
struct QuantizedCacheConfig {
  Index nbits = 4;              // 4 or 8
  Index q_group_size = 64;      // values that share a scale
  Index residual_length = 128;  // recent tokens that stay as they are
  bool operator==(const QuantizedCacheConfig&) const = default;
};

// Names, meanings and defaults are those of transformers 5.23, where an unset field gets its default when
// generation begins. Here a member has the default from the start, and `given` says which ones were set, so
// that the fields of a request can be laid over those of a model (see merge). Ranges and explanations are in
// the field table, generation_fields.cpp.
struct GenerationConfig {
  // Length
  std::optional<Index> max_new_tokens;  // see max_total_tokens()
  std::optional<Index> max_length;
  Index min_length = 0;
  std::optional<Index> min_new_tokens;
  std::optional<double> max_time;  // seconds
  std::vector<std::string> stop_strings;

  // Strategy
  bool do_sample = false;
  Index num_beams = 1;
  Index num_return_sequences = 1;
  double length_penalty = 1.0;
  EarlyStopping early_stopping = EarlyStopping::kFalse;

  // Sampling
  double temperature = 1.0;
  Index top_k = 50;
  double top_p = 1.0;
  std::optional<double> min_p;
  std::optional<double> top_h;
  double typical_p = 1.0;
  double epsilon_cutoff = 0.0;
  double eta_cutoff = 0.0;

  // Penalties and bans
  double repetition_penalty = 1.0;
  double encoder_repetition_penalty = 1.0;
  Index no_repeat_ngram_size = 0;
  Index encoder_no_repeat_ngram_size = 0;
  std::vector<std::vector<Token>> bad_words_ids;
  std::vector<SequenceBias> sequence_bias;
  std::vector<Token> suppress_tokens;
  std::vector<Token> begin_suppress_tokens;
  std::optional<Token> forced_bos_token_id;
  std::vector<Token> forced_eos_token_id;
  std::optional<ExponentialDecay> exponential_decay_length_penalty;
  bool remove_invalid_values = false;
  bool renormalize_logits = false;
  std::optional<double> guidance_scale;
  std::optional<WatermarkingConfig> watermarking_config;

  // Special tokens
  std::vector<Token> eos_token_id;  // one, several or none
  std::optional<Token> pad_token_id;
  std::optional<Token> bos_token_id;

  // Cache
  bool use_cache = true;
  std::string cache_implementation;  // empty: the program's choice
  std::optional<QuantizedCacheConfig> cache_config;
  std::optional<Index> max_cache_len;
  std::optional<Index> prefill_chunk_size;

  // Drafts
  Index num_assistant_tokens = 20;
  std::string num_assistant_tokens_schedule = "constant";
  double assistant_confidence_threshold = 0.4;
  std::optional<Index> prompt_lookup_num_tokens;
  std::optional<Index> max_matching_ngram_size;
  std::optional<Index> assistant_early_exit;
  Index assistant_lookbehind = 10;
  Index target_lookbehind = 10;
  std::optional<double> assistant_ensemble_weight;

  // The names of the fields that somebody set (views of the table's names).
  std::set<std::string_view> given;

  bool operator==(const GenerationConfig&) const = default;
};

// An object such as {"temperature": 0.7, "top_k": 20}. A field that is null counts as not given. Errors name
// place, field, got and expected: kUsage for an unknown field (with the one that comes nearest) and for one
// that no program of the course has, kFormat for a wrong type, kRange outside the field's range.
GenerationConfig generation_config_from_json(const JsonReader& object);

// FOLDER/generation_config.json, or, where there is none, the special tokens of config.json as transformers
// does. Fields that are no part of the course are skipped: the file was made for other programs too.
GenerationConfig load_generation_config(const std::filesystem::path& folder, const ModelConfig& model);

// The special tokens that a config.json names.
GenerationConfig generation_config_from_model(const ModelConfig& model);

// One field from a text, such as a flag's: "0.7", "true", "2,5", "[[1,2],[3]]". `where` names the flag.
void set_generation_field(GenerationConfig& config, std::string_view name, std::string_view text,
                          const std::string& where);

// What `over` gives, and what `base` gives where `over` gives nothing.
GenerationConfig merge(const GenerationConfig& over, const GenerationConfig& base);

// The given fields as a JSON object; generation_config_from_json reads it back.
std::string to_json(const GenerationConfig& config);

// A program declares the fields that it honours. Any other given field must have a value that changes
// nothing (its default, or one that turns it off). Errors: kUnsupported: "02_naive_loop does not use
// 'top_k'; 07_sampling does".
void expect_honoured(const GenerationConfig& config, std::span<const std::string_view> fields,
                     const std::string& program, const std::string& where);

// The same config with only these fields given; the others have their defaults. For what a model's own file
// says to programs that cannot do all of it.
GenerationConfig keep_honoured(const GenerationConfig& config, std::span<const std::string_view> fields);

// Errors: kRange for a token id in any field that is not below vocab_size.
void expect_ids_below(const GenerationConfig& config, Index vocab_size, const std::string& where);

// Fields that do not go together, after transformers' GenerationConfig.validate(). Errors: kUsage for what
// contradicts itself. Returns one sentence for each field that has no effect (temperature without do_sample).
std::vector<std::string> check_combinations(const GenerationConfig& config, const std::string& where);

// The length at which a row of `prompt_tokens` tokens ends, prompt included: max_new_tokens wins over
// max_length (which counts the prompt); 20 new tokens if neither is set.
// Errors: kRange if max_length leaves no room for a new token.
Index max_total_tokens(const GenerationConfig& config, Index prompt_tokens);

}  // namespace llm
