// --autotune: which kernels, and how many threads, are the fastest for this model on this machine?
#pragma once

#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "chapters/05_fused_cpu/operators.h"
#include "common/cli/report.h"

namespace llm {

struct Variant {
  FusedOptions options;
  double prefill_flops_per_s = 0;  // of a prompt
  double step_bytes_per_s = 0;     // of reading the weights for one token
  double seconds = 0;              // for a text of kTunedTokens of prompt and as many new ones
};
inline constexpr Index kTunedTokens = 64;

// Times every instruction set that this machine has (or the one that NT_ISA names), the best first, each on
// 1, 2, 4, ... up to options.num_threads threads. Sets whose kernels are the same for options.compute are
// timed once.
std::vector<Variant> time_variants(const OpenModel& opened, const FusedOptions& options, bool quiet);

const Variant& fastest(const std::vector<Variant>& variants);

void print_variants(const std::vector<Variant>& variants, Report& report);

}  // namespace llm
