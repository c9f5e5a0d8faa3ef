// What 05_fused_cpu tells about a run: equality or error first, then the speeds beside what the machine can
// do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "chapters/02_naive_loop/text_run.h"
#include "chapters/05_fused_cpu/fused_check.h"
#include "chapters/05_fused_cpu/machine_limits.h"
#include "chapters/05_fused_cpu/step_work.h"
#include "common/cli/report.h"

namespace llm {

struct FusedRun {
  CacheSpec spec;
  FusedOptions options = {};
  WeightFormats weights = {};
  std::vector<Token> prompt = {};
  TextRun text = {};
  TextRun earlier = {};                       // the same by chapter 04's engine; empty: not compared
  TokenCheck check = {};                      // with chapter 02's tokens, where nothing is rounded
  std::optional<RoundingCheck> rounded = {};  // where numbers are rounded
  MachineLimits machine = {};                 // empty: not measured
  Index tokens = 0;                           // in the cache at the end
  Index cache_bytes = 0;
  Index peak_bytes = 0;  // of the process up to the last token: before anything is compared
  double load_s = 0;

  bool compared() const { return !earlier.new_tokens.empty(); }
  bool passed() const { return rounded ? rounded->passed() : check.passed(); }
  Index equal_to_earlier() const;  // leading tokens
};

// For people. No speed after a failed check.
void print_report(const OpenModel& opened, const FusedRun& run, Report& report);

// As one JSON object.
std::string json_report(const OpenModel& opened, const FusedRun& run);

// "37 %", "4.2 %"; "-" where there is nothing to compare with.
std::string percent(double share);

}  // namespace llm
