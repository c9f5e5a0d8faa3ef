// What the bench tells: tables, JSON, a chart.
#pragma once

#include <string>
#include <vector>

#include "common/cli/report.h"
#include "tests/bench/run_stage.h"

namespace llm {

struct BenchReport {
  std::string model;
  ModelConfig config;
  Workload work;
  std::vector<StageResult> results;
  std::vector<std::string> left_out;  // "fused q4_0: why"

  // Of all stages together; at least one.
  MachineLimits machine() const;
  // As many tokens as the stage wrote like the first one, from the start.
  Index equal_tokens(const StageResult& result) const;
};

void print_report(const BenchReport& bench, Report& report);
std::string json_report(const BenchReport& bench);
// Decoding: a bar a stage, and what this machine's bandwidth allows.
std::string svg_report(const BenchReport& bench);

}  // namespace llm
