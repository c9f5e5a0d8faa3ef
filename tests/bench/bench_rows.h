// The sequences that a stage writes while it is timed.
#pragma once

#include <memory>
#include <vector>

#include "common/seams/causal_lm.h"
#include "tests/bench/stages.h"

namespace llm {

// What every stage has to do.
struct Workload {
  Index batch = 1;           // sequences written together
  Index prompt_tokens = 32;  // of each
  Index new_tokens = 16;     // of each, after the one that the prompt gives
  Index depth = 0;           // tokens that the cache holds before the prompt
  double seconds = 3;        // to repeat it for: at least three runs, the first one apart

  Index tokens() const { return depth + prompt_tokens + new_tokens; }  // of a row, all that are computed
};

// Bytes of keys and values that a step reads when each row has `tokens` of them. 0 without a cache.
double cached_bytes(const Stage& stage, const ModelConfig& config, Index rows, Index tokens);

// A prompt of random ids in each row, then the best token again and again.
class BenchRows {
 public:
  // model: outlives this. Errors: those of the cache.
  BenchRows(CausalLM& model, const Stage& stage, const Workload& workload);

  // From the start: a new cache, or, where it took work to fill it, the old one cropped to `depth` tokens.
  void begin();
  // The seconds that the prompt takes, its new token included; that one more token in each row takes.
  double prefill();
  double step();

  // What row 0 has written since begin().
  const std::vector<Token>& written() const { return written_; }

 private:
  std::unique_ptr<Cache> filled_cache();
  bool crop_to_depth();

  CausalLM& model_;
  Workload workload_;
  bool has_cache_;
  CacheSpec spec_;
  std::unique_ptr<Cache> cache_;
  std::vector<std::vector<Token>> prompts_;  // `depth` tokens and the prompt
  std::vector<std::vector<Token>> rows_;     // all so far; without a cache every step reads them
  std::vector<Token> next_;                  // of each row, not computed yet
  std::vector<Token> written_;
};

}  // namespace llm
