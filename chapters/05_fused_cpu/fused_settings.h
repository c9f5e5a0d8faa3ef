// What 05_fused_cpu is asked to do.
#pragma once

#include <string>

#include "chapters/03_kv_cache/turns.h"
#include "chapters/04_preallocated_cache/cache_flags.h"
#include "chapters/05_fused_cpu/ladder.h"
#include "common/cli/options.h"

namespace llm {

struct FusedSettings {
  CommonFlags common;
  CacheFlags cache;
  TurnFlags turns;
  std::string check;
  bool ladder = false, autotune = false, jsonl = false, ignore_eos = false, no_model_config = false;
  bool mapped_weights = false;
  LadderWork work;
  GenerationConfig generation;
};

// Reads the command line. False if --help was asked for: the program then ends.
// Errors: kUsage for flags that do not go together, or have no effect; those of Options::parse().
bool read_settings(int argc, char** argv, FusedSettings& s);

}  // namespace llm
