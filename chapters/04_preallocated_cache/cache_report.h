// What 04_preallocated_cache tells about a run: equality or error first, then time and memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "chapters/02_naive_loop/text_run.h"
#include "chapters/02_naive_loop/transformer.h"
#include "chapters/03_kv_cache/token_check.h"
#include "chapters/04_preallocated_cache/quality.h"
#include "common/cli/report.h"

namespace llm {

struct CacheRun {
  CacheSpec spec;
  std::vector<Token> prompt = {};
  TextRun text = {};
  Index peak_bytes = 0;                       // of the process up to here: before anything is compared
  TextRun dynamic = {};                       // the same with chapter 03's cache; empty: not compared
  TokenCheck check = {};                      // with 02's tokens; not for int8 and int4
  std::optional<ScoreComparison> codes = {};  // int8 and int4: how far the scores are off
  Index tokens = 0;                           // in the cache at the end
  Index memory_bytes = 0, formula_bytes = 0;
  double load_s = 0;

  Index equal_to_dynamic() const;  // leading tokens
  // Codes may be off; scores that are off by as much as they are large (or NaN) are a mistake.
  bool passed() const { return codes ? codes->largest_error < 1 : check.passed(); }
};

// For people. No speed after a failed check.
void print_report(const OpenModel& opened, const Transformer& model, const CacheRun& run, Report& report);

// As one JSON object.
std::string json_report(const OpenModel& opened, const Transformer& model, const CacheRun& run);

// The first row is what the others are compared with.
void print_quality(const OpenModel& opened, const std::vector<QualityRow>& rows, Report& report);
std::string json_quality(const OpenModel& opened, const std::vector<QualityRow>& rows);

// The memory table of well-known models, and of `own` if there is one.
void print_memory_tables(const std::string& name, const ModelConfig& own, Report& report);
// {"budget_bytes": N, "models": [{"name", "caches": {"static bf16": {"1024": bytes, ..., "longest":
// tokens}}}]}
std::string json_memory_tables(const std::string& name, const ModelConfig& own);

}  // namespace llm
