// One prompt of the program: its engine, its config, its processors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chapters/03_kv_cache/turns.h"
#include "chapters/07_sampling/processors.h"
#include "chapters/07_sampling/sampling_json_lines.h"
#include "chapters/07_sampling/sampling_report.h"

namespace llm {

// What the command line says beside the generation config.
struct SamplingFlags {
  CacheFlags cache = dynamic_cache_flags();
  TurnFlags turns;
  std::string engine = "cached", negative_prompt;
};

class SamplingSession {
 public:
  // opened, engines, flags: outlive this. Errors: those of the engine, of a prompt that does not fit and of
  // contradictions in the config.
  SamplingSession(const OpenModel& opened, EngineSet& engines, const SamplingFlags& flags,
                  GenerationConfig config, const std::string& prompt);

  const OpenModel& opened() const { return opened_; }
  const GenerationConfig& config() const { return config_; }
  CausalLM& model() const { return model_; }
  CausalLM& naive() const;  // an engine that, without a cache, computes what chapter 02 does
  const std::vector<Token>& prompt() const { return prompt_; }
  const std::string& heading() const { return heading_; }  // the prompt as it is to be printed
  Index limit() const { return limit_; }                   // new tokens

  // A new cache as the flags want it; null for an engine that has none.
  std::unique_ptr<Cache> make_cache() const;
  // do_sample false: the best token every time, whatever the config says.
  ChoiceRule rule(bool do_sample, std::uint64_t seed, std::uint32_t sequence) const;

  SamplingRun begin_run(std::uint64_t seed) const;
  // Nothing where the config has no watermark, or the text is too short for one.
  std::optional<WatermarkDetection> find_watermark(std::span<const Token> new_tokens) const;
  // Median seconds that processors and draw take for the prompt's scores.
  double time_choice(const ChoiceRule& rule) const;

 private:
  CacheSpec spec(Index prompt_tokens) const;
  std::unique_ptr<Cache> make_cache(Index prompt_tokens) const;

  const OpenModel& opened_;
  EngineSet& engines_;
  const SamplingFlags& flags_;
  GenerationConfig config_;
  CausalLM& model_;
  std::vector<Token> prompt_;
  std::string heading_;
  Index limit_ = 0;
};

}  // namespace llm
