// The stages of the course, as the bench runs them: one row of a table each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "chapters/02_naive_loop/open_model.h"
#include "tests/bench/machine.h"

namespace llm {

struct BenchSettings {
  Index prompt_tokens = 32;
  Index new_tokens = 16;
  double seconds = 3;  // for prefill and for decoding, each: at least three runs, the warm-up apart
};

// What one stage did.
struct StageResult {
  std::string stage;
  std::string dtype;  // of the weights that it computes with
  Samples prefill_tokens_per_s;
  Samples decode_tokens_per_s;
  double prefill_flops = 0;  // of one token
  double decode_flops = 0;   // of one token, on average
  double decode_bytes = 0;   // moved for one token: weights and cached keys, once
  Index memory_bytes = 0;    // the process at its highest, without the bench's own
};

struct Stage {
  std::string_view name;
  StageResult (*run)(const OpenModel& opened, const BenchSettings& settings, MachineLimits& limits);
};

// In the order of the chapters.
std::span<const Stage> stages();

}  // namespace llm
