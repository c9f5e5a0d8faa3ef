#include "chapters/03_kv_cache/cached_json_lines.h"

#include <algorithm>
#include <array>

#include "chapters/03_kv_cache/cached_greedy.h"
#include "common/base/error.h"

namespace llm {
namespace {

constexpr std::array<std::string_view, 7> kFields = {"max_new_tokens",    "max_length",   "eos_token_id",
                                                     "pad_token_id",      "bos_token_id", "use_cache",
                                                     "prefill_chunk_size"};
constexpr std::array<std::string_view, 8> kRequestFields = {
    "input_ids", "prompt", "messages", "attention_mask", "generation_config", "engine", "cache", "seed"};

GreedyResult with_cache(CausalLM& model, CacheSpec spec, const GenerationConfig& config,
                        std::span<const std::vector<Token>> rows, Index limit) {
  std::size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  spec.num_rows = static_cast<Index>(rows.size());
  if (!spec.max_cache_len) spec.max_cache_len = static_cast<Index>(longest) + limit - 1;
  const std::unique_ptr<Cache> cache = model.make_cache(spec);
  return cached_greedy(model, *cache, rows, limit, config.eos_token_id, config.prefill_chunk_size);
}

}  // namespace

std::span<const std::string_view> cached_fields() { return kFields; }
std::span<const std::string_view> cached_request_fields() { return kRequestFields; }

JsonLinesLoop cached_json_lines(CausalLM& model, CachedJsonLines program) {
  JsonLinesLoop loop;
  loop.program = {.name = program.name,
                  .request_fields = program.request_fields,
                  .generation_fields = program.generation_fields,
                  .engines = {"cached", "naive"},
                  .caches = program.caches};
  loop.generate = [&model, cache_spec = std::move(program.cache_spec)](
                      const GenerateRequest& request, const GenerationConfig& config,
                      std::vector<std::vector<Token>> rows, Index limit) {
    const bool naive = request.engine == "naive" || !config.use_cache;
    if (naive && (request.cache || request.offload))
      fail(ErrorCode::kUsage, {.where = "cache",
                               .what = "is named, but the request wants none",
                               .remedy = "leave out \"engine\": \"naive\" or \"use_cache\": false"});
    if (naive) return greedy(model, std::move(rows), limit, config.eos_token_id);
    return with_cache(model, cache_spec(request, config), config, rows, limit);
  };
  return loop;
}

}  // namespace llm
