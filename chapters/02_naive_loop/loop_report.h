// What the program tells about a run: time, work, memory.
#pragma once

#include <string>
#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "chapters/02_naive_loop/text_run.h"
#include "chapters/02_naive_loop/transformer.h"
#include "common/cli/report.h"

namespace llm {

struct LoopRun : TextRun {
  Index prompt_tokens = 0;
  double load_s = 0;
};

// What is odd about the model: its files' warnings, and tensors that it has no place for.
void print_warnings(const OpenModel& opened, const std::vector<std::string>& unused_tensors, Report& report);
inline void print_warnings(const OpenModel& opened, const Transformer& model, Report& report) {
  print_warnings(opened, model.unused_tensors(), report);
}

// For people.
void print_report(const OpenModel& opened, const Transformer& model, const LoopRun& run, Report& report);

// As one JSON object: ids, text, times in seconds, counts, bytes.
std::string json_report(const OpenModel& opened, const Transformer& model, const LoopRun& run);

// "▁▂▄█": the values as bars between 0 and the largest, the average of neighbours where there are more than
// `width`. Empty for no values.
std::string sparkline(std::span<const double> values, Index width);

}  // namespace llm
