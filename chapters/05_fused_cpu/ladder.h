// The ladder: the forward pass of chapter 04, and what each step of this chapter makes of it. Each is
// compared with chapter 02 before it is timed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "chapters/05_fused_cpu/fused_check.h"
#include "chapters/05_fused_cpu/machine_limits.h"
#include "common/cli/report.h"

namespace llm {

struct LadderWork {
  Index prompt_tokens = 128;  // random ones, read at once
  Index new_tokens = 32;      // read one at a time
  Index runs = 5;
  Index depth = 0;  // tokens that the cache holds before
  std::uint64_t seed = 0;
  bool mapped_weights = false;  // as FusedOptions'

  Index tokens() const { return depth + prompt_tokens + new_tokens; }
};

struct LadderRow {
  int number = 0;
  std::string name;        // "rounded products, fast": the step, and what is special about this row
  std::string weights;     // "Q4_1, Q6_K": the formats that it computes with
  double error = 0;        // the largest of a score, as a share of the largest score; NaN if a score is
  double tolerance = 0;    // up to which it is right
  Samples prefill_s = {};  // one a run; empty after a failed check
  Samples step_s = {};     // of a new token on average, one a run
  double prefill_flops = 0;
  double step_bytes = 0;  // of weights and cache, on average

  bool passed() const { return error <= tolerance; }  // not if it is NaN
};

struct Ladder {
  std::string model;
  LadderWork work;
  std::vector<LadderRow> rows;     // by number
  std::vector<std::string> notes;  // what the reader should know of some rows
  MachineLimits machine;           // measured before each row
  bool passed() const;
};

// opened: with the weights that steps 1 to 8 use; those of the rows for Q8_0 and Q4_0 are made from the
// model's files again. quiet: no progress bars. Errors: kRange if the model is too short for the work; those
// of open_model().
Ladder run_ladder(const OpenModel& opened, const LadderWork& work, bool quiet);

// For people; no wider than 100 columns.
void print_ladder(const Ladder& ladder, Report& report);

// As one JSON object.
std::string json_ladder(const Ladder& ladder);

}  // namespace llm
