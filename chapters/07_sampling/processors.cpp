#include "chapters/07_sampling/processors.h"

#include <algorithm>

#include "chapters/04_preallocated_cache/cache_flags.h"
#include "chapters/07_sampling/cutoffs.h"
#include "chapters/07_sampling/exponential_decay.h"
#include "chapters/07_sampling/forced_tokens.h"
#include "chapters/07_sampling/min_length.h"
#include "chapters/07_sampling/min_p.h"
#include "chapters/07_sampling/no_repeat_ngram.h"
#include "chapters/07_sampling/remove_invalid.h"
#include "chapters/07_sampling/renormalize.h"
#include "chapters/07_sampling/repetition_penalty.h"
#include "chapters/07_sampling/sequence_bias.h"
#include "chapters/07_sampling/suppress_tokens.h"
#include "chapters/07_sampling/temperature.h"
#include "chapters/07_sampling/top_h.h"
#include "chapters/07_sampling/top_k.h"
#include "chapters/07_sampling/top_p.h"
#include "chapters/07_sampling/typical_p.h"
#include "chapters/07_sampling/watermark.h"
#include "common/base/error.h"
#include "common/config/generation_fields.h"

namespace llm {
namespace {

using Config = GenerationConfig;
using Context = ProcessorContext;

// The processor if it is wanted, or null.
template <class P, class... Args>
ProcessorPtr when(bool wanted, const Args&... args) {
  return wanted ? std::make_shared<P>(args...) : nullptr;
}

// Beams need a token to go on with beside the end tokens.
Index kept(const Config& config, const Context& context) {
  if (context.min_tokens_to_keep) return *context.min_tokens_to_keep;
  if (config.num_beams == 1) return 1;
  return std::max<Index>(static_cast<Index>(config.eos_token_id.size()), 1) + 1;
}

// Where a forced token comes first, the first one that is chosen is the second.
Index begin_index(const Config& config, const Context& context) {
  return context.prompt_length + (context.prompt_length <= 1 && config.forced_bos_token_id ? 1 : 0);
}

ProcessorPtr make_guidance(const Config& config, const Context& context) {
  if (!config.guidance_scale || *config.guidance_scale == 1.0) return nullptr;
  if (!context.unconditional)
    fail(ErrorCode::kUsage, {.where = "guidance_scale",
                             .what = "there are no scores without the prompt",
                             .remedy = "it needs a model, not scores alone"});
  return std::make_shared<Guidance>(*config.guidance_scale, context.unconditional);
}

// --8<-- [start:table]
using enum ProcessorPart;
constexpr ProcessorKind kKinds[] = {
    {"guidance_scale", kPenalty, make_guidance},
    {"sequence_bias", kPenalty,
     [](const Config& c, const Context&) {
       return when<SequenceBiasProcessor>(!c.sequence_bias.empty(), c.sequence_bias);
     }},
    {"encoder_repetition_penalty", kPenalty,
     [](const Config& c, const Context& x) {
       return when<EncoderRepetitionPenalty>(c.encoder_repetition_penalty != 1, c.encoder_repetition_penalty,
                                             x.prompt_length);
     }},
    {"repetition_penalty", kPenalty,
     [](const Config& c, const Context& x) {
       return when<RepetitionPenalty>(c.repetition_penalty != 1, c.repetition_penalty, x.left_padding);
     }},
    {"no_repeat_ngram_size", kPenalty,
     [](const Config& c, const Context&) {
       return when<NoRepeatNgram>(c.no_repeat_ngram_size > 0, c.no_repeat_ngram_size);
     }},
    {"encoder_no_repeat_ngram_size", kPenalty,
     [](const Config& c, const Context& x) {
       return when<EncoderNoRepeatNgram>(c.encoder_no_repeat_ngram_size > 0, c.encoder_no_repeat_ngram_size,
                                         x.prompt_length);
     }},
    {"bad_words_ids", kPenalty,
     [](const Config& c, const Context&) {
       return when<BadWords>(!c.bad_words_ids.empty(), c.bad_words_ids, c.eos_token_id);
     }},
    {"min_length", kPenalty,
     [](const Config& c, const Context&) {  // min_new_tokens wins
       return when<MinLength>(c.min_length > 0 && !c.min_new_tokens && !c.eos_token_id.empty(), c.min_length,
                              c.eos_token_id);
     }},
    {"min_new_tokens", kPenalty,
     [](const Config& c, const Context& x) {
       const Index count = c.min_new_tokens.value_or(0);
       return when<MinNewTokens>(count > 0 && !c.eos_token_id.empty(), count, x.prompt_length,
                                 c.eos_token_id);
     }},
    {"prefix_allowed_tokens_fn", kPenalty,  // an argument of generate(), not a field
     [](const Config& c, const Context& x) {
       return when<PrefixConstrained>(x.prefix_allowed_tokens != nullptr, x.prefix_allowed_tokens,
                                      c.num_beams);
     }},
    {"forced_bos_token_id", kPenalty,
     [](const Config& c, const Context&) {
       return when<ForcedBos>(c.forced_bos_token_id.has_value(), c.forced_bos_token_id.value_or(0));
     }},
    {"forced_eos_token_id", kPenalty,
     [](const Config& c, const Context& x) {
       return when<ForcedEos>(!c.forced_eos_token_id.empty(), c.forced_eos_token_id, x.max_length);
     }},
    {"remove_invalid_values", kPenalty,
     [](const Config& c, const Context&) { return when<RemoveInvalidValues>(c.remove_invalid_values); }},
    {"exponential_decay_length_penalty", kPenalty,
     [](const Config& c, const Context& x) {
       const auto decay = c.exponential_decay_length_penalty.value_or(ExponentialDecay{});
       return when<ExponentialDecayLengthPenalty>(
           c.exponential_decay_length_penalty && !c.eos_token_id.empty(), decay, x.prompt_length,
           c.eos_token_id);
     }},
    {"suppress_tokens", kPenalty,
     [](const Config& c, const Context&) {
       return when<SuppressTokens>(!c.suppress_tokens.empty(), c.suppress_tokens);
     }},
    {"begin_suppress_tokens", kPenalty,
     [](const Config& c, const Context& x) {
       return when<BeginSuppressTokens>(!c.begin_suppress_tokens.empty(), c.begin_suppress_tokens,
                                        begin_index(c, x));
     }},
    // Here come custom processors.
    {"temperature", kFilter,
     [](const Config& c, const Context&) { return when<Temperature>(c.temperature != 1, c.temperature); }},
    {"top_h", kFilter,
     [](const Config& c, const Context&) { return when<TopH>(c.top_h.has_value(), c.top_h.value_or(1)); }},
    {"top_k", kFilter,
     [](const Config& c, const Context& x) { return when<TopK>(c.top_k > 0, c.top_k, kept(c, x)); }},
    {"top_p", kFilter,
     [](const Config& c, const Context& x) { return when<TopP>(c.top_p < 1, c.top_p, kept(c, x)); }},
    {"min_p", kFilter,
     [](const Config& c, const Context& x) {
       return when<MinP>(c.min_p.value_or(0) > 0, c.min_p.value_or(0), kept(c, x));
     }},
    {"typical_p", kFilter,
     [](const Config& c, const Context& x) {
       return when<TypicalP>(c.typical_p < 1, c.typical_p, kept(c, x));
     }},
    {"epsilon_cutoff", kFilter,
     [](const Config& c, const Context& x) {
       return when<EpsilonCutoff>(c.epsilon_cutoff > 0, c.epsilon_cutoff, kept(c, x));
     }},
    {"eta_cutoff", kFilter,
     [](const Config& c, const Context& x) {
       return when<EtaCutoff>(c.eta_cutoff > 0, c.eta_cutoff, kept(c, x));
     }},
    {"watermarking_config", kFinal,
     [](const Config& c, const Context& x) {
       return when<Watermark>(c.watermarking_config.has_value(),
                              c.watermarking_config.value_or(WatermarkingConfig{}), x.vocab_size);
     }},
    {"renormalize_logits", kFinal,
     [](const Config& c, const Context&) { return when<RenormalizeLogits>(c.renormalize_logits); }},
};
// --8<-- [end:table]

}  // namespace

std::span<const ProcessorKind> processor_kinds() { return kKinds; }

std::vector<std::string> processor_warnings(const GenerationConfig& config, const std::string& where) {
  std::vector<std::string> warnings = check_combinations(config, where);
  const auto needs = [&](std::string_view field, bool given, const char* what) {
    if (given) warnings.push_back(std::string(field) + " has no effect without " + what);
  };
  const bool endless = config.eos_token_id.empty();
  needs("min_length", endless && config.min_length > 0, "eos_token_id");
  needs("min_new_tokens", endless && config.min_new_tokens.value_or(0) > 0, "eos_token_id");
  needs("exponential_decay_length_penalty", endless && config.exponential_decay_length_penalty,
        "eos_token_id");
  if (config.min_length > 0 && config.min_new_tokens)
    warnings.emplace_back("min_length has no effect beside min_new_tokens, which wins");
  const auto is_eos = [&](const std::vector<Token>& word) {
    return word.size() == 1 && std::ranges::count(config.eos_token_id, word[0]) > 0;
  };
  if (std::ranges::any_of(config.bad_words_ids, is_eos))
    warnings.emplace_back("an end token in bad_words_ids has no effect; suppress_tokens would ban it");
  return warnings;
}

std::span<const std::string_view> sampling_fields() {
  static const std::vector<std::string_view> fields = [] {
    const auto caches = any_cache_generation_fields();
    std::vector<std::string_view> names(caches.begin(), caches.end());
    for (const GenerationField& field : generation_fields())
      if (field.used_by == "07_sampling") names.push_back(field.name);
    return names;
  }();
  return fields;
}

}  // namespace llm
