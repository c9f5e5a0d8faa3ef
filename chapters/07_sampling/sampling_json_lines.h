// 07_sampling --jsonl: chapter 02's requests with all sampling fields, and lines about scores.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/json_lines.h"
#include "chapters/04_preallocated_cache/cache_flags.h"
#include "chapters/07_sampling/engines.h"

namespace llm {

// The engines of a program by name; each is made when it is first asked for.
class EngineSet {
 public:
  EngineSet(const OpenModel& opened, EngineOptions options) : opened_(opened), options_(std::move(options)) {}
  // Errors: those of find_engine() and of making it.
  CausalLM& get(std::string_view name);
  const OpenModel& opened() const { return opened_; }

 private:
  struct Made {
    std::string name;
    std::unique_ptr<CausalLM> model;
  };
  const OpenModel& opened_;
  EngineOptions options_;
  std::vector<Made> made_;
};

// The flags' defaults: a dynamic cache.
CacheFlags dynamic_cache_flags();

// What a request that says nothing gets.
struct SamplingDefaults {
  std::string engine = "cached";
  CacheFlags cache = dynamic_cache_flags();
  std::uint64_t seed = 0;
};

// engines: outlives the result.
JsonLinesLoop sampling_json_lines(EngineSet& engines, SamplingDefaults defaults);

}  // namespace llm
