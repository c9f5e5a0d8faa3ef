// The ladder: what it measures, and that it refuses a speed to a wrong step.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "chapters/05_fused_cpu/convert_weights.h"
#include "chapters/05_fused_cpu/fused_model.h"
#include "chapters/05_fused_cpu/ladder.h"
#include "chapters/05_fused_cpu/ladder_steps.h"
#include "chapters/05_fused_cpu/step_work.h"
#include "common/base/parallel.h"
#include "common/io/json.h"
#include "tests/message_of.h"

namespace llm {
namespace {

const std::string kModels = LLM_SOURCE_DIR "/tests/data/models/";

const LadderRow& find_row(const Ladder& ladder, int number, const std::string& part) {
  const auto found = std::ranges::find_if(ladder.rows, [&](const LadderRow& row) {
    return row.number == number && row.name.find(part) != std::string::npos;
  });
  REQUIRE(found != ladder.rows.end());
  return *found;
}

// What print_ladder() prints.
std::string printed(const Ladder& ladder) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  Report report(/*quiet=*/false, file);
  print_ladder(ladder, report);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  CHECK(std::fread(text.data(), 1, text.size(), file) == text.size());
  std::fclose(file);
  return text;
}

TEST_CASE("every step computes what chapter 02 does, also with tokens in the cache before") {
  const int threads = num_threads();
  for (const Index depth : {Index{0}, Index{37}}) {
    CAPTURE(depth);
    const OpenModel opened = open_model(kModels + "tiny-qwen3", true);
    const LadderWork work{.prompt_tokens = 45, .new_tokens = 10, .runs = 2, .depth = depth, .seed = 5};
    const Ladder ladder = run_ladder(opened, work, true);
    CHECK(num_threads() == threads);
    CHECK(ladder.passed());
    std::vector<int> numbers;
    for (const LadderRow& row : ladder.rows) {
      CAPTURE(row.number);
      CAPTURE(row.name);
      numbers.push_back(row.number);
      CHECK(row.prefill_s.count() == 2);
      CHECK(row.step_s.count() == 2);
      CHECK(row.prefill_s.min() > 0);
      if (row.tolerance == kExactTolerance) CHECK(row.error < 1e-5);
    }
    CHECK(numbers == std::vector<int>{1, 2, 3, 4, 5, 6, 6, 6, 7, 7, 8});
    CHECK(ladder.machine.flops_per_s.count() == 11);
    CHECK(find_row(ladder, 7, "INT8 cache").error > 1e-5);  // codes are not exact
    CHECK(find_row(ladder, 8, "INT8 cache").error > 1e-5);
    CHECK(find_row(ladder, 8, "INT8 cache").error < 0.05);
  }
}

TEST_CASE("bytes of a step, by hand") {
  const OpenModel opened = open_model(kModels + "tiny-qwen3", true);
  const ModelConfig& c = opened.config;
  const Ladder ladder = run_ladder(opened, {.prompt_tokens = 60, .new_tokens = 3, .runs = 1}, true);
  const Index layer = c.hidden_size * (2 * c.num_attention_heads + 2 * c.num_key_value_heads) * c.head_dim +
                      3 * c.hidden_size * c.intermediate_size;
  const Index weights = c.num_hidden_layers * layer + c.vocab_size * c.hidden_size;
  const Index values = 2 * c.num_hidden_layers * c.num_key_value_heads * c.head_dim;  // of a token
  const auto cache = static_cast<double>(4 * values * (60 + 2));
  CHECK(find_row(ladder, 1, "").step_bytes == static_cast<double>(4 * weights) + cache);
  CHECK(find_row(ladder, 3, "").step_bytes == static_cast<double>(4 * weights) + cache);
  CHECK(find_row(ladder, 6, "Q8_0").step_bytes == static_cast<double>(weights / 32 * 34) + cache);
  CHECK(find_row(ladder, 6, "Q4_0").step_bytes == static_cast<double>(weights / 32 * 18) + cache);
  CHECK(find_row(ladder, 6, "Q4_0").weights == "Q4_0");
  CHECK(find_row(ladder, 8, "").step_bytes < static_cast<double>(4 * weights) + 0.75 * cache);
}

TEST_CASE("a step whose scores are wrong gets no speed") {
  Ladder ladder{.model = "m", .work = {}, .rows = {}, .notes = {}, .machine = {}};
  ladder.machine.flops_per_s.add(100e9);
  ladder.machine.read_bytes_per_s.add(10e9);
  for (int number = 1; number <= 4; ++number) {
    LadderRow row{.number = number, .name = "row", .weights = "F32", .tolerance = kExactTolerance};
    row.prefill_flops = 50e9;
    row.step_bytes = 1e9;
    row.prefill_s.add(number == 1 ? 2.0 : 1.0);
    row.step_s.add(number == 1 ? 0.8 : 0.2);
    ladder.rows.push_back(row);
  }
  CHECK(ladder.passed());
  std::string text = printed(ladder);
  CHECK(text.find("50 %   2.0") != std::string::npos);  // of the peak, and twice step 1
  CHECK(text.find("50 %   4.0") != std::string::npos);  // 5 of 10 GB/s
  CHECK(text.find("WRONG") == std::string::npos);

  for (const double error : {2e-4, std::numeric_limits<double>::quiet_NaN()}) {
    ladder.rows[2].error = error;
    CHECK_FALSE(ladder.passed());
    text = printed(ladder);
    const std::size_t wrong = text.find("WRONG");
    REQUIRE(wrong != std::string::npos);
    CHECK(text.substr(wrong, text.find('\n', wrong) - wrong).find_first_of("0123456789") ==
          std::string::npos);
    const Json json = parse_json(json_ladder(ladder), "json");
    CHECK(json["ladder"][2]["passed"] == false);
    CHECK_FALSE(json["ladder"][2].contains("decode_tokens_per_s"));
    CHECK(json["ladder"][3]["decode_tokens_per_s"] == 5.0);
  }
  ladder.rows[0].error = 1;  // nothing to compare with
  CHECK(printed(ladder).find("2.0") == std::string::npos);
}

TEST_CASE("the table fits into 100 columns") {
  const OpenModel opened = open_model(kModels + "tiny-qwen3-bf16", true);
  const std::string text =
      printed(run_ladder(opened, {.prompt_tokens = 3, .new_tokens = 1, .runs = 1}, true));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    CHECK(display_width(text.substr(begin, end - begin)) <= 100);
    begin = end + 1;
  }
}

TEST_CASE("a model that is too short for the work") {
  const OpenModel opened = open_model(kModels + "tiny-qwen3", true);
  const Index longest = opened.config.max_position_embeddings;
  CHECK(message_of([&] {
          run_ladder(opened, {.prompt_tokens = longest, .new_tokens = 1}, true);
        }).find("max_position_embeddings") != std::string::npos);
}

TEST_CASE("weights whose rows do not divide stay as they are, and the warning names them") {
  OpenModel opened = open_model(kModels + "tiny-llama", true);  // intermediate_size 176
  convert_weights(opened, "file", true);
  CHECK(opened.warnings.empty());
  convert_weights(opened, "q8_0", true);
  REQUIRE(opened.warnings.size() == 1);
  CHECK(opened.warnings[0].starts_with("'model.layers.0.mlp.down_proj.weight', '"));
  FusedModel model(opened.config, opened.checkpoint,
                   make_operators({.num_threads = 1, .isa = Isa::kBaseline, .compute = Compute::kFast}));
  const WeightFormats formats = weight_formats(opened.config, *opened.checkpoint, model.operators());
  CHECK(std::set<std::string>{"Q8_0, F32", "F32, Q8_0"}.contains(formats.names));
  const Index down = opened.config.num_hidden_layers * opened.config.hidden_size * 176 * 4;
  CHECK(formats.rounded_bytes == formats.step_bytes - down);
}

}  // namespace
}  // namespace llm
