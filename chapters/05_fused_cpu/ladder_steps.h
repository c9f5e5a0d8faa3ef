// The steps of the ladder that are this chapter's: a table with one row each.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "chapters/05_fused_cpu/operators.h"

namespace llm {

// A new step is one pair of files and one line in the table.
struct LadderStep {
  int number;
  std::string_view name;  // for tables
  std::unique_ptr<Operators> (*make)(const FusedOptions& options);
};

// Steps 3 to 8. Steps 1 and 2 are chapter 04's forward pass, on one thread and on all.
std::span<const LadderStep> ladder_steps();

// All that there is: the last step.
std::unique_ptr<Operators> make_operators(const FusedOptions& options);

}  // namespace llm
