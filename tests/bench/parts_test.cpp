// The bench's parts: its report, names of stages, times between lengths, its chart.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "common/config/known_shapes.h"
#include "tests/bench/bench_report.h"
#include "tests/bench/chart.h"
#include "tests/bench/literature.h"
#include "tests/bench/stages.h"
#include "tests/bench/step_times.h"

namespace llm {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// What print_report() prints.
std::string printed(const BenchReport& bench) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  Report report(/*quiet=*/false, file);
  print_report(bench, report);
  std::string text(static_cast<std::size_t>(std::ftell(file)), ' ');
  std::rewind(file);
  CHECK(std::fread(text.data(), 1, text.size(), file) == text.size());
  std::fclose(file);
  return text;
}

TEST_CASE("the report: wide numbers fit, what is estimated is called so, the literature stands beside") {
  StageResult result;
  result.name = "cached dynamic";
  for (const double value : {12345.6, 11111.1, 13333.3}) {
    result.prefill_tokens_per_s.add(value);
    result.decode_tokens_per_s.add(value);
    result.machine.flops_per_s.add(2e11);
    result.machine.read_bytes_per_s.add(2e10);
  }
  result.decode_bytes = 1e6;
  result.tokens = {1, 2, 3};
  result.reach = {{.tokens = 500, .seconds = 12.3, .measured = true}, {.tokens = 2000, .seconds = 9e5}};
  StageResult other = result;
  other.name = "fused bf16";
  other.tokens = {1, 2, 4};
  const std::string text = printed({.model = "random:qwen3-0.6b",
                                    .config = random_config("qwen3-0.6b"),
                                    .work = {},
                                    .results = {result, other},
                                    .left_out = {"fused q4_0: a reason"}});
  for (const char* words : {"12,346 (11,111 to 13,333)", "62 %", "12.3 s", "about 250 h", "3/3", "2/3",
                            "H100", "164", "fused q4_0: a reason", "200 GFLOP/s", "20.0 GB/s"})
    CHECK_MESSAGE(has(text, words), words);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(display_width(line) <= 100, line);
}

TEST_CASE("names of stages, and those that a model gets") {
  const ModelFacts model = model_facts("storyteller");
  CHECK(model.dtype == "bf16");
  CHECK(model_facts("random:qwen3-0.6b").config == random_config("qwen3-0.6b"));
  const auto name = [&](const Stage& stage) { return stage_name(stage, model); };
  CHECK(name({.engine = "naive", .cache = {}}) == "naive");
  CHECK(name({.engine = "cached", .cache = {.cache = "int8", .cache_dtype = "bf16"}}) == "cached int8 bf16");
  CHECK(name({.engine = "cached", .cache = {.offload = true}, .dtype = "q8_0"}) ==
        "cached dynamic offloaded of q8_0");
  CHECK_THROWS(open_weights("nobody", "file", true));

  std::vector<std::string> names;
  for (const Stage& stage : all_stages(model)) names.push_back(name(stage));
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());  // no stage twice
  for (const char* wanted : {"fused f32", "fused q8_0", "fused q8_0 fast", "fused q4_0 fast"})
    CHECK_MESSAGE(std::ranges::count(names, wanted) == 1, wanted);
  CHECK(std::ranges::count(names, "fused f32 fast") == 0);
}

TEST_CASE("step times: measured ones as they are, between and beyond them by speed") {
  StepTimes steps([](Index length) { return static_cast<double>(100 + length); });
  steps.add(100, 2.0);  // 100 a second
  CHECK(steps.at(100) == doctest::Approx(2.0));
  CHECK(steps.at(300) == doctest::Approx(4.0));
  CHECK(steps.at(0) == doctest::Approx(1.0));
  steps.add(300, 8.0);  // 50 a second
  CHECK(steps.at(100) == doctest::Approx(2.0));
  CHECK(steps.at(200) == doctest::Approx(300.0 / 75));
  CHECK(steps.at(300) == doctest::Approx(8.0));
  CHECK(steps.at(900) == doctest::Approx(20.0));
  CHECK(steps.sum(300, 2) == doctest::Approx(8.0 + 401.0 / 50));
  CHECK(steps.sum(300, 0) == 0);
}

TEST_CASE("samples") {
  Samples samples;
  for (const double value : {5.0, 1.0, 4.0}) samples.add(value);
  CHECK(samples.median() == 4);
  samples.add(samples);
  CHECK(samples.count() == 6);
  samples.add(0.0);
  samples.add(2.0);
  CHECK(samples.median() == 3);  // 0 1 1 2 | 4 4 5 5
  CHECK(samples.min() == 0);
  CHECK(samples.max() == 5);
  CHECK(samples.last() == 2);
}

// Every tag closed, in order; texts escaped.
void check_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    REQUIRE(end != std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    if (tag.back() == '/') continue;
    if (tag.front() == '/') {
      REQUIRE_FALSE(open.empty());
      CHECK(open.back() == tag.substr(1));
      open.pop_back();
    } else {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  CHECK(open.empty());
  for (std::size_t at = svg.find('&'); at != std::string::npos; at = svg.find('&', at + 1))
    CHECK((svg.compare(at, 5, "&amp;") == 0 || svg.compare(at, 4, "&lt;") == 0));
}

TEST_CASE("the chart is well-formed, whatever the names") {
  const std::string svg = to_svg({.title = "a < b & c",
                                  .unit = "tok/s",
                                  .bars = {{.label = "x<y>&z", .value = 3, .min = 2, .max = 4, .limit = 12},
                                           {.label = "none", .value = 0, .min = 0, .max = 0}},
                                  .limit_label = "R&D"});
  check_well_formed(svg);
  CHECK(has(svg, "prefers-color-scheme:dark"));
  CHECK_FALSE(has(svg, "nan"));
  CHECK_FALSE(has(svg, "inf"));
  check_well_formed(to_svg({.title = {}, .unit = {}, .bars = {}, .limit_label = {}}));
}

TEST_CASE("the literature's table is for one shape") {
  CHECK(literature().size() == 4);
  CHECK(has_literature(random_config("qwen3-0.6b")));
  for (const char* other : {"qwen3-1.7b", "smollm2-135m", "llama-3.2-1b"})
    CHECK_FALSE(has_literature(random_config(other)));
}

}  // namespace
}  // namespace llm
