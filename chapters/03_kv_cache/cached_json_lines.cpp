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

}  // namespace

std::span<const std::string_view> cached_fields() { return kFields; }
std::span<const std::string_view> cached_request_fields() { return kRequestFields; }

void expect_no_cache(const GenerateRequest& request) {
  if (request.cache || request.offload)
    fail(ErrorCode::kUsage, {.where = "cache",
                             .what = "is named, but the request wants none",
                             .remedy = "leave out \"engine\": \"naive\" or \"use_cache\": false"});
}

std::unique_ptr<Cache> make_request_cache(CausalLM& model, CacheSpec spec, Index num_rows,
                                          std::span<const std::vector<Token>> rows, Index limit) {
  std::size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  spec.num_rows = num_rows;
  if (!spec.max_cache_len) spec.max_cache_len = static_cast<Index>(longest) + limit - 1;
  return model.make_cache(spec);
}

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
    if (request.engine == "naive" || !config.use_cache) {
      expect_no_cache(request);
      return greedy(model, std::move(rows), limit, config.eos_token_id);
    }
    const auto cache = make_request_cache(model, cache_spec(request, config), std::ssize(rows), rows, limit);
    return cached_greedy(model, *cache, rows, limit, config.eos_token_id, config.prefill_chunk_size);
  };
  return loop;
}

}  // namespace llm
