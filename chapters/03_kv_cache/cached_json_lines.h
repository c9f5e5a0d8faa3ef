// --jsonl of the programs with a cache: chapter 02's requests and answers, and which cache to use.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/json_lines.h"
#include "common/seams/causal_lm.h"

namespace llm {

// What this chapter knows in a generation config: chapter 02's fields, use_cache and prefill_chunk_size; and
// in a request: chapter 02's fields and "cache".
std::span<const std::string_view> cached_fields();
std::span<const std::string_view> cached_request_fields();

// How a program with caches answers.
struct CachedJsonLines {
  std::string name = "03_kv_cache";
  std::span<const std::string_view> request_fields = cached_request_fields();
  std::span<const std::string_view> generation_fields = cached_fields();
  std::vector<std::string_view> caches = {"dynamic"};
  // What a request means for the cache. num_rows is filled in afterwards, and max_cache_len where it is open:
  // the tokens that the longest row may reach.
  std::function<CacheSpec(const GenerateRequest& request, const GenerationConfig& config)> cache_spec;
};

// For a request that is computed without a cache. Errors: kUsage if it names one.
void expect_no_cache(const GenerateRequest& request);

// The cache of a request: num_rows rows, each with room for the longest of `rows` and `limit` new tokens
// unless the spec says for how many. Errors: those of CausalLM::make_cache().
std::unique_ptr<Cache> make_request_cache(CausalLM& model, CacheSpec spec, Index num_rows,
                                          std::span<const std::vector<Token>> rows, Index limit);

// "engine": "cached" (the default) or "naive", which is also what use_cache false means. Each request has a
// cache of its own. model: must outlive the result. Errors of a request: kUsage for a cache without one.
JsonLinesLoop cached_json_lines(CausalLM& model, CachedJsonLines program);

}  // namespace llm
