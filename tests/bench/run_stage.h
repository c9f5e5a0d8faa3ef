// One stage, measured.
#pragma once

#include <string>
#include <vector>

#include "common/io/progress.h"
#include "tests/bench/bench_rows.h"
#include "tests/bench/machine.h"

namespace llm {

// Seconds from the prompt to that many new tokens a row.
struct Reach {
  Index tokens = 0;
  double seconds = 0;
  bool measured = false;  // else derived from the speeds at the lengths that were measured
};

struct StageResult {
  Stage stage;
  std::string name, weights;  // stage_name(), weights_name()

  Samples prefill_tokens_per_s, decode_tokens_per_s;  // all rows together, without the first run
  double prefill_flops = 0;                           // of one token
  double decode_flops = 0;                            // of one token, on average
  double decode_bytes = 0;  // moved for one token: weights and cached keys, once a step for all rows
  Index memory_bytes = 0;   // what the stage added to the process at its highest, the mapped file included

  double load_s = 0;                             // open the model, make the engine
  double first_prefill_s = 0, first_step_s = 0;  // of the first run: page faults, threads
  double prefill_s = 0, step_s = 0;              // medians of the others

  std::vector<Token> tokens;  // what row 0 wrote
  std::vector<Reach> reach;   // 500 and 2,000 tokens, where the model is long enough
  MachineLimits machine;      // in between: five looks

  // Shares of what the machine showed in between.
  double prefill_share_of_flops() const {
    return prefill_flops * prefill_tokens_per_s.median() / machine.flops_per_s.median();
  }
  double decode_share_of_flops() const {
    return decode_flops * decode_tokens_per_s.median() / machine.flops_per_s.median();
  }
  double decode_share_of_bandwidth() const {
    return decode_bytes * decode_tokens_per_s.median() / machine.read_bytes_per_s.median();
  }
};

// Errors: kRange if the model is too short for the work; those of the engine and its cache.
void check_workload(const ModelConfig& config, const Stage& stage, const Workload& workload);

// model_name, stage.dtype: what is opened. model: its model_facts(). progress: of 100.
StageResult run_stage(const std::string& model_name, const ModelFacts& model, const Stage& stage,
                      const Workload& workload, const MachineProbe& machine, bool quiet,
                      const Progress& progress = {});

}  // namespace llm
