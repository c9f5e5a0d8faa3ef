#include "chapters/07_sampling/sampling_session.h"

#include "chapters/02_naive_loop/sequences.h"
#include "chapters/04_preallocated_cache/all_cache_kinds.h"
#include "chapters/07_sampling/feed.h"

namespace llm {

SamplingSession::SamplingSession(const OpenModel& opened, EngineSet& engines, const SamplingFlags& flags,
                                 GenerationConfig config, const std::string& prompt)
    : opened_(opened),
      engines_(engines),
      flags_(flags),
      config_(std::move(config)),
      model_(engines.get(flags.engine)) {
  Turns turns(opened, flags.turns, prompt);
  prompt_ = *turns.next({});
  heading_ = turns.heading();
  limit_ = new_tokens_limit(model_.config(), config_, std::ssize(prompt_), std::ssize(prompt_));
}

// The cached engine is chapter 02's forward pass: without a cache it is the naive one.
CausalLM& SamplingSession::naive() const {
  return flags_.engine == "cached" ? model_ : engines_.get("naive");
}

CacheSpec SamplingSession::spec(Index prompt_tokens) const {
  return cache_spec(flags_.cache, config_, prompt_tokens + limit_ - 1);
}

std::unique_ptr<Cache> SamplingSession::make_cache(Index prompt_tokens) const {
  return find_engine(flags_.engine).has_cache ? model_.make_cache(spec(prompt_tokens)) : nullptr;
}

std::unique_ptr<Cache> SamplingSession::make_cache() const { return make_cache(std::ssize(prompt_)); }

ChoiceRule SamplingSession::rule(bool do_sample, std::uint64_t seed, std::uint32_t sequence) const {
  GenerationConfig config = config_;
  config.do_sample = do_sample;
  if (!do_sample) config.num_return_sequences = 1;
  const Index length = std::ssize(prompt_);
  ProcessorContext context{
      .prompt_length = length, .max_length = length + limit_, .vocab_size = model_.config().vocab_size};
  if (config.guidance_scale) {
    std::vector<Token> negative = {prompt_.back()};  // transformers' default
    if (!flags_.negative_prompt.empty()) negative = encode_prompt(opened_, flags_.negative_prompt);
    auto cache = make_cache(std::ssize(negative));
    context.unconditional = unconditional_logits(model_, std::move(cache), std::move(negative), length);
  }
  return {.processors = make_processors(config, context),
          .do_sample = do_sample,
          .seed = seed,
          .sequence = sequence};
}

SamplingRun SamplingSession::begin_run(std::uint64_t seed) const {
  SamplingRun run{.engine = flags_.engine, .cache = {}, .prompt = prompt_};
  if (find_engine(flags_.engine).has_cache) run.cache = cache_name(spec(std::ssize(prompt_)));
  run.do_sample = config_.do_sample;
  run.seed = seed;
  const ChoiceRule first = rule(run.do_sample, seed, 0);
  for (const ProcessorPtr& processor : first.processors.processors())
    run.processors.emplace_back(processor->name());
  return run;
}

std::optional<WatermarkDetection> SamplingSession::find_watermark(std::span<const Token> new_tokens) const {
  const auto& watermark = config_.watermarking_config;
  if (!watermark || std::ssize(new_tokens) <= watermark->context_width) return {};
  return WatermarkDetector(*watermark, model_.config().vocab_size)(new_tokens);
}

double SamplingSession::time_choice(const ChoiceRule& rule) const {
  const auto cache = make_cache();
  const View<const float, 1> scores = last_scores(feed(model_, cache.get(), prompt_), 0);
  return llm::time_choice(rule, prompt_, std::vector<float>(scores.begin(), scores.end()));
}

}  // namespace llm
