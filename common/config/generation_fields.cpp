#include "common/config/generation_fields.h"

#include <algorithm>

namespace llm {
namespace {

using G = GenerationConfig;

constexpr double kMaxInt = 2147483647.0;
constexpr NumberRange kAny = {};
constexpr NumberRange kCount = {0, kMaxInt};
constexpr NumberRange kPositive = {1, kMaxInt};
constexpr NumberRange kTokenId = {0, kMaxInt};
constexpr NumberRange kAboveZero = {.min = 0, .open_min = true};
constexpr NumberRange kAtLeastZero = {.min = 0};
constexpr NumberRange kUnit = {0, 1};                    // [0, 1]
constexpr NumberRange kUnitAbove = {0, 1, true, false};  // (0, 1]
constexpr NumberRange kUnitBelow = {0, 1, false, true};  // [0, 1)
constexpr NumberRange kUnitInside = {0, 1, true, true};  // (0, 1)

constexpr std::string_view kLoop = "02_naive_loop", kCache = "03_kv_cache", kCaches = "04_preallocated_cache",
                           kSampling = "07_sampling", kStreaming = "08_streaming", kBeams = "09_beam_search",
                           kDrafts = "10_speculative", kGenerate = "11_generate";

constexpr std::string_view kCacheKinds = "dynamic static offloaded offloaded_static quantized sliding_window",
                           kSchedules = "constant heuristic heuristic_transient";

// A new field: a member in GenerationConfig and a row here. Ranges are those of transformers 5.23's
// processors and of GenerationConfig.validate().
const GenerationField kFields[] = {
    // Length
    {"max_new_tokens", &G::max_new_tokens, kLoop, "how many tokens to generate at most", kPositive},
    {"max_length", &G::max_length, kLoop, "longest result, prompt included; max_new_tokens wins", kPositive},
    {"min_length", &G::min_length, kSampling, "no end token before this length, prompt included", kCount},
    {"min_new_tokens", &G::min_new_tokens, kSampling, "no end token before that many new tokens", kCount, 0},
    {"max_time", &G::max_time, kStreaming, "stop after that many seconds", kAtLeastZero},
    {"stop_strings", &G::stop_strings, kStreaming, "stop when the text contains this"},

    // Strategy
    {"do_sample", &G::do_sample, kSampling, "draw the next token instead of taking the best"},
    {"num_beams", &G::num_beams, kBeams, "beams of beam search; 1: none", {1, 4096}},
    {"num_return_sequences", &G::num_return_sequences, kSampling, "results for each prompt", {1, 4096}},
    {"length_penalty", &G::length_penalty, kBeams, "beam scores are divided by length to this power", kAny},
    {"early_stopping", &G::early_stopping, kBeams, "when beam search ends: true, false or never"},

    // Sampling
    {"temperature", &G::temperature, kSampling, "scores are divided by it", kAtLeastZero},
    {"top_k", &G::top_k, kSampling, "keep the k best tokens; 0: all", kCount, 0},
    {"top_p", &G::top_p, kSampling, "keep the best tokens that add up to this probability", kUnit},
    {"min_p", &G::min_p, kSampling, "keep tokens above this share of the best one's probability", kUnit, 0},
    {"top_h", &G::top_h, kSampling, "keep the best tokens within this share of the entropy", kUnitAbove},
    {"typical_p", &G::typical_p, kSampling, "keep the most typical tokens that add up to this probability",
     kUnitAbove},
    {"epsilon_cutoff", &G::epsilon_cutoff, kSampling, "keep tokens at least this probable", kUnitBelow},
    {"eta_cutoff", &G::eta_cutoff, kSampling, "the same, lower where the entropy is high", kUnitBelow},

    // Penalties and bans
    {"repetition_penalty", &G::repetition_penalty, kSampling,
     "above 1: tokens that were there become less probable", kAboveZero},
    {"encoder_repetition_penalty", &G::encoder_repetition_penalty, kSampling,
     "above 1: tokens of the prompt become more probable", kAboveZero},
    {"no_repeat_ngram_size", &G::no_repeat_ngram_size, kSampling, "no n tokens in a row twice; 0: off",
     kCount},
    {"encoder_no_repeat_ngram_size", &G::encoder_no_repeat_ngram_size, kSampling,
     "no n tokens in a row from the prompt; 0: off", kCount},
    {"bad_words_ids", &G::bad_words_ids, kSampling, "sequences that may not appear: [[5],[7,8]]", kTokenId},
    {"sequence_bias", &G::sequence_bias, kSampling, "added to a sequence's last score: [[[5],-2.5]]",
     kTokenId},
    {"suppress_tokens", &G::suppress_tokens, kSampling, "tokens that may not appear: 5,7", kTokenId},
    {"begin_suppress_tokens", &G::begin_suppress_tokens, kSampling, "tokens that may not come first",
     kTokenId},
    {"forced_bos_token_id", &G::forced_bos_token_id, kSampling, "the token after a prompt of one token",
     kTokenId},
    {"forced_eos_token_id", &G::forced_eos_token_id, kSampling, "the token at the greatest length", kTokenId},
    {"exponential_decay_length_penalty", &G::exponential_decay_length_penalty, kSampling,
     "the end grows more probable: [start, factor]"},
    {"remove_invalid_values", &G::remove_invalid_values, kSampling, "replace NaN and infinite scores"},
    {"renormalize_logits", &G::renormalize_logits, kSampling,
     "make log-probabilities of the processed scores"},
    {"guidance_scale", &G::guidance_scale, kSampling, "classifier-free guidance; 1: off", kAny, 1},
    {"watermarking_config", &G::watermarking_config, kSampling,
     "prefer a secret list of tokens: {\"bias\":2.0}"},

    // Special tokens
    {"eos_token_id", &G::eos_token_id, kLoop, "the tokens that end a text: 2 or 2,5", kTokenId},
    {"pad_token_id", &G::pad_token_id, kLoop, "what fills short rows of a batch", kTokenId},
    {"bos_token_id", &G::bos_token_id, kLoop, "the token that begins a text", kTokenId},

    // Cache
    {"use_cache", &G::use_cache, kLoop, "keep keys and values"},
    {"cache_implementation", &G::cache_implementation, kCaches, "the kind of cache", kAny, {}, kCacheKinds},
    {"cache_config", &G::cache_config, kCaches, "of a quantized cache: {\"nbits\":4}"},
    {"max_cache_len", &G::max_cache_len, kCaches, "length of a static cache", kPositive},
    {"prefill_chunk_size", &G::prefill_chunk_size, kCache, "read the prompt in pieces of this many tokens",
     kPositive},

    // Drafts
    {"num_assistant_tokens", &G::num_assistant_tokens, kDrafts,
     "tokens that the draft model guesses at a time", kPositive},
    {"num_assistant_tokens_schedule",
     &G::num_assistant_tokens_schedule,
     kDrafts,
     "how that number changes",
     kAny,
     {},
     kSchedules},
    {"assistant_confidence_threshold", &G::assistant_confidence_threshold, kDrafts,
     "the draft ends below this probability", kUnit},
    {"prompt_lookup_num_tokens", &G::prompt_lookup_num_tokens, kDrafts,
     "guess that many tokens from the text so far", kPositive},
    {"max_matching_ngram_size", &G::max_matching_ngram_size, kDrafts, "longest match for such a guess",
     kPositive},
    {"assistant_early_exit", &G::assistant_early_exit, kDrafts, "draft with the model's first layers",
     kPositive},
    {"assistant_lookbehind", &G::assistant_lookbehind, kDrafts,
     "draft's tokens to align with another tokenizer", kCount},
    {"target_lookbehind", &G::target_lookbehind, kDrafts, "target's tokens to align with another tokenizer",
     kCount},
    {"assistant_ensemble_weight", &G::assistant_ensemble_weight, kGenerate,
     "accept against a mixture of target and draft", kUnitInside},
};

constexpr ForeignField kForeign[] = {
    {"transformers_version", "", ""},
    {"_from_model_config", "", ""},
    {"return_dict_in_generate", "", ""},
    {"disable_compile", "", ""},
    {"compile_config", "", ""},
    {"low_memory", "", ""},
    {"output_attentions", "false", "attention maps are not returned"},
    {"output_hidden_states", "false", "hidden states are not returned"},
    {"output_scores", "false", "scores are not returned"},
    {"output_logits", "false", "logits are not returned"},
    {"is_assistant", "false", "it is transformers' own mark of a draft model"},
    {"num_beam_groups", "1", "transformers 5 has dropped group beam search"},
    {"diversity_penalty", "0.0", "transformers 5 has dropped group beam search"},
    {"penalty_alpha", "0.0", "transformers 5 has dropped contrastive search"},
    {"dola_layers", "null", "transformers 5 has dropped DoLa decoding"},
    {"constraints", "null", "transformers 5 has dropped constrained beam search"},
    {"force_words_ids", "null", "transformers 5 has dropped constrained beam search"},
    {"token_healing", "false", "the course has no token healing"},
    {"use_mtp", "false", "the course has no models with several heads"},
    {"speculation_type", "null", "the course has no such draft"},
    {"continuous_batching_config", "null", "the course has no continuous batching"},
    {"decoder_start_token_id", "null", "it is for encoder-decoder models"},
};

}  // namespace

std::span<const GenerationField> generation_fields() { return kFields; }
std::span<const ForeignField> foreign_generation_fields() { return kForeign; }

const GenerationField* find_generation_field(std::string_view name) {
  const auto* const field = std::ranges::find(kFields, name, &GenerationField::name);
  return field == std::end(kFields) ? nullptr : field;
}

}  // namespace llm
