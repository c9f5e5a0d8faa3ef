// What the program tells about its texts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "chapters/02_naive_loop/text_run.h"
#include "chapters/03_kv_cache/token_check.h"
#include "chapters/07_sampling/distinct_ngrams.h"
#include "chapters/07_sampling/token_chooser.h"
#include "chapters/07_sampling/watermark_detector.h"
#include "common/cli/report.h"

namespace llm {

struct SampledText : TextRun {
  TokenCheck check = {};
  std::optional<WatermarkDetection> watermark = {};
};

struct SamplingRun {
  std::string engine, cache;  // cache: empty without one
  std::vector<Token> prompt = {};
  std::vector<std::string> processors = {};  // in their order
  bool do_sample = false;
  std::uint64_t seed = 0;
  std::vector<SampledText> texts = {};
  std::optional<SampledText> greedy = {};  // of the same prompt, for comparison
  double choose_s = 0;                     // processors and draw, a token
  double load_s = 0;
  bool passed() const;  // every check
};

// Median seconds that processors and draw take for such a row of scores.
double time_choice(const ChoiceRule& rule, std::span<const Token> ids, const std::vector<float>& logits);

// For people. No speed after a failed check.
void print_report(const OpenModel& opened, const SamplingRun& run, Report& report);

// As one JSON object.
std::string json_report(const OpenModel& opened, const SamplingRun& run);

}  // namespace llm
