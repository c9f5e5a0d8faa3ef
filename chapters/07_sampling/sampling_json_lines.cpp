#include "chapters/07_sampling/sampling_json_lines.h"

#include <algorithm>

#include "chapters/03_kv_cache/cached_json_lines.h"
#include "chapters/07_sampling/processors.h"
#include "chapters/07_sampling/sampled_rows.h"
#include "chapters/07_sampling/score_lines.h"

namespace llm {
namespace {

// Chapter 04's fields, and what guidance needs.
std::span<const std::string_view> request_fields() {
  static const std::vector<std::string_view> fields = [] {
    const auto known = any_cache_request_fields();
    std::vector<std::string_view> names(known.begin(), known.end());
    names.insert(names.end(), {"negative_prompt", "negative_prompt_ids", "negative_prompt_attention_mask"});
    return names;
  }();
  return fields;
}

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

    const auto new_cache = [&](std::span<const std::vector<Token>> texts) {
      return cached ? make_request_cache(model, spec, std::ssize(texts), texts, limit) : nullptr;
    };
    // Each row has processors of its own: with its padding, and with its own unconditional text.
    std::vector<TokenChooser> choosers;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t prompt = i / static_cast<std::size_t>(config.num_return_sequences);
      const std::vector<Token>& padded = request.input_ids.empty() ? rows[i] : request.input_ids[prompt];
      UnconditionalLogits unconditional;
      if (config.guidance_scale) {
        const std::vector<Token> negative = negative_prompt(request, rows[i], prompt);
        unconditional = unconditional_logits(model, new_cache({&negative, 1}), negative, std::ssize(padded));
      }
      const ProcessorContext context = {.prompt_length = std::ssize(padded),
                                        .max_length = std::ssize(padded) + limit,
                                        .vocab_size = model.config().vocab_size,
                                        .left_padding = {std::ssize(padded) - std::ssize(rows[i])},
                                        .unconditional = std::move(unconditional)};
      choosers.emplace_back(ChoiceRule{.processors = make_processors(config, context),
                                       .do_sample = config.do_sample,
                                       .seed = request.seed.value_or(defaults_.seed),
                                       .sequence = static_cast<std::uint32_t>(i)},
                            padded, context.left_padding[0], limit);
    }
    const auto plan = device_plan(config, choosers[0].rule().processors);
    const std::unique_ptr<Cache> cache = new_cache(rows);
    return sampled_rows(model, cache.get(), rows, choosers, limit, config.eos_token_id,
                        config.prefill_chunk_size, plan);
  }

 private:
  // What guidance leads a row away from. By default that is its prompt's last token, as in transformers.
  std::vector<Token> negative_prompt(const GenerateRequest& request, const std::vector<Token>& row,
                                     std::size_t prompt) const {
    if (request.negative_prompt) return encode_prompt(engines_.opened(), *request.negative_prompt);
    const auto& ids = request.negative_prompt_ids;
    if (ids.empty()) return {row.back()};
    return ids[ids.size() == 1 ? 0 : prompt];
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
                  .request_fields = request_fields(),
                  .generation_fields = sampling_fields(),
                  .engines = engine_kind_names(),
                  .caches = {cache_names().begin(), cache_names().end()}};
  loop.generate = Generate(engines, std::move(defaults));
  loop.other = {.marker = "scores", .fields = score_line_fields(), .answer = answer_score_line};
  return loop;
}

}  // namespace llm
