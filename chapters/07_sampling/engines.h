// The table of engines: everything that can turn tokens into scores.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "common/io/progress.h"
#include "common/seams/causal_lm.h"

namespace llm {

struct EngineOptions {
  std::string_view compute = "exact";  // --compute
  Progress progress = {};              // of preparing the weights
};

// A new engine: its chapter, and one line in the table.
struct EngineKind {
  std::string_view name;  // --engine
  bool has_cache;         // false: it is fed everything at each step
  std::unique_ptr<CausalLM> (*make)(const OpenModel& opened, const EngineOptions& options);
};

// naive, cached, and those of later chapters that were built; the slowest first.
std::span<const EngineKind> engines();

// Errors: kUnsupported for a name that is not in the table, with those that are.
const EngineKind& find_engine(std::string_view name);

// The names in the table.
std::vector<std::string_view> engine_kind_names();

}  // namespace llm
