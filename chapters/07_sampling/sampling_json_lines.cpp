#include "chapters/07_sampling/sampling_json_lines.h"

#include <algorithm>

#include "chapters/03_kv_cache/cached_json_lines.h"
#include "chapters/07_sampling/processors.h"
#include "chapters/07_sampling/sampled_rows.h"
#include "chapters/07_sampling/score_lines.h"

namespace llm {
namespace {

class Generate {
 public:
  Generate(EngineSet& engines, SamplingDefaults defaults)
      : engines_(engines), defaults_(std::move(defaults)) {}

  GreedyResult operator()(const GenerateRequest& request, const GenerationConfig& config,
                          const std::vector<std::vector<Token>>& rows, Index limit) const {
    const std::string engine = request.engine.value_or(defaults_.engine);
    const bool cached = find_engine(engine).has_cache && config.use_cache;
    if (!cached) expect_no_cache(request);
    CausalLM& model = engines_.get(engine);
    const CacheSpec spec = cache_spec(defaults_.cache, request, config);

    const auto new_cache = [&](Index num_rows) {
      return cached ? make_request_cache(model, spec, num_rows, rows, limit) : nullptr;
    };
    std::vector<TokenChooser> choosers;
    for (std::size_t i = 0; i < rows.size(); ++i)
      choosers.push_back(
          chooser(request, config, rows, i, limit, model, config.guidance_scale ? new_cache(1) : nullptr));
    const auto plan = device_plan(config, choosers[0].rule().processors);
    const std::unique_ptr<Cache> cache = new_cache(std::ssize(rows));
    return sampled_rows(model, cache.get(), rows, choosers, limit, config.eos_token_id,
                        config.prefill_chunk_size, plan);
  }

 private:
  // Each row has processors of its own: with its padding, and with its own unconditional text.
  TokenChooser chooser(const GenerateRequest& request, const GenerationConfig& config,
                       const std::vector<std::vector<Token>>& rows, std::size_t i, Index limit,
                       CausalLM& model, std::unique_ptr<Cache> guidance_cache) const {
    const auto prompt = i / static_cast<std::size_t>(config.num_return_sequences);
    const std::vector<Token>& padded = request.input_ids.empty() ? rows[i] : request.input_ids[prompt];
    const auto length = static_cast<Index>(padded.size());
    const Index padding = length - static_cast<Index>(rows[i].size());
    ProcessorContext context{.prompt_length = length,
                             .max_length = length + limit,
                             .vocab_size = model.config().vocab_size,
                             .left_padding = {padding}};
    if (config.guidance_scale)
      context.unconditional = unconditional_logits(model, std::move(guidance_cache), {}, length);
    return TokenChooser({.processors = make_processors(config, context),
                         .do_sample = config.do_sample,
                         .seed = request.seed.value_or(defaults_.seed),
                         .sequence = static_cast<std::uint32_t>(i)},
                        padded, padding, limit);
  }

  EngineSet& engines_;
  SamplingDefaults defaults_;
};

}  // namespace

CacheFlags dynamic_cache_flags() {
  CacheFlags flags;
  flags.engine.cache = "dynamic";
  return flags;
}

CausalLM& EngineSet::get(std::string_view name) {
  const auto found = std::ranges::find(made_, name, &Made::name);
  if (found != made_.end()) return *found->model;
  made_.push_back({std::string(name), find_engine(name).make(opened_, options_)});
  return *made_.back().model;
}

JsonLinesLoop sampling_json_lines(EngineSet& engines, SamplingDefaults defaults) {
  JsonLinesLoop loop;
  loop.program = {.name = "07_sampling",
                  .request_fields = any_cache_request_fields(),
                  .generation_fields = sampling_fields(),
                  .engines = engine_kind_names(),
                  .caches = {cache_names().begin(), cache_names().end()}};
  loop.generate = Generate(engines, std::move(defaults));
  loop.other = {.marker = "scores", .fields = score_line_fields(), .answer = answer_score_line};
  return loop;
}

}  // namespace llm
