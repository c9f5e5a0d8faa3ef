// The program itself: its text, its report, its errors.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "common/io/json.h"
#include "tests/bad_input/run_program.h"

namespace llm {
namespace {

Run run(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), SAMPLING_PROGRAM);
  return run_program(arguments, input);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("it draws a text and says that its tokens are those of the naive engine") {
  const Run first =
      run({"--prompt", "Once upon a time", "--max-new-tokens", "12", "--seed", "3", "--ignore-eos"});
  CHECK(first.status == 0);
  CHECK(has(first.output, "Once upon a time"));
  CHECK(has(first.errors, "tokens equal to 02"));
  CHECK(has(first.errors, "12/12"));
  CHECK(has(first.errors, "distinct 4-grams"));
  CHECK(run({"--prompt", "Once upon a time", "--max-new-tokens", "12", "--seed", "3", "--ignore-eos",
             "--engine", "naive", "--threads", "1"})
            .output == first.output);
}

TEST_CASE("--show-steps shows what the processors did") {
  const Run shown = run({"--max-new-tokens", "2", "--temperature", "0.7", "--top-p", "0.9", "--show-steps",
                         "--repetition-penalty", "1.2", "--candidates", "5"});
  CHECK(shown.status == 0);
  for (const char* word :
       {"step 1", "step 2", "model", "repetition_pena", "temperature", "top_k", "█", "> \"", "all others"})
    CHECK_MESSAGE(has(shown.errors, word), word);
}

TEST_CASE("--sliding-window: the ring and a cache that keeps all give the same text, another than without") {
  const auto text = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--max-new-tokens", "40", "--ignore-eos", "--no-do-sample"});
    const Run ran = run(more);
    CHECK(has(ran.errors, "40/40"));
    return ran.output;
  };
  const std::string ring = text({"--cache", "sliding", "--sliding-window", "8"});
  CHECK(text({"--sliding-window", "8"}) == ring);
  CHECK(text({}) != ring);
}

TEST_CASE("--json: one object with every text") {
  const Run one = run({"--max-new-tokens", "5", "--num-return-sequences", "2", "--json", "--quiet",
                       "--compare-greedy", "--watermarking-config", "{\"bias\": 9.0}", "--top-k", "0"});
  REQUIRE(one.status == 0);
  const Json report = parse_json(one.output, "report");
  CHECK(report["texts"].size() == 2);
  CHECK(report["processors"] == Json{"watermarking_config"});
  CHECK(report["texts"][0]["equal"] == report["texts"][0]["new_tokens"].size());
  CHECK(report.contains("greedy"));
}

TEST_CASE("warnings and errors") {
  CHECK(has(run({"--max-new-tokens", "2", "--no-do-sample", "--top-p", "0.5"}).errors,
            "warning: top_p 0.5 has no effect without do_sample=true"));
  const Run zero = run({"--temperature", "0"});
  CHECK(zero.status == 1);
  CHECK(has(zero.errors, "do_sample=false"));
  CHECK(has(run({"--top-p", "1.5"}).errors, "--top-p"));
  CHECK(has(run({"--engine", "warp"}).errors, "naive"));
}

TEST_CASE("flags that would have no effect") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad = {
      {{"--check", ""}, "--check: is empty"},
      {{"--negative-prompt", ""}, "--negative-prompt: is empty"},
      {{"--candidates", "3"}, "--candidates: goes with --show-steps only"},
      {{"--group-size", "32"}, "--group-size: has no effect with --cache dynamic"},
      {{"--engine", "naive", "--cache", "int8"}, "--cache: has no effect with --engine naive"},
      {{"--jsonl", "--negative-prompt", "x"}, "a request has the field negative_prompt"}};
  for (const auto& [arguments, words] : bad) {
    const Run refused = run(arguments);
    CHECK(refused.status == 1);
    CHECK(refused.output.empty());
    CHECK_MESSAGE(has(refused.errors, words), refused.errors);
  }
  const std::string warning = "warning: --negative-prompt has no effect without --guidance-scale";
  const std::vector<std::string> text = {"--max-new-tokens", "2", "--negative-prompt", "A cat"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), text.begin(), text.end());
    return run(more).errors;
  };
  CHECK(has(with({}), warning));
  CHECK(has(with({"--guidance-scale", "1"}), warning));
  CHECK_FALSE(has(with({"--guidance-scale", "1.5", "--cache", "static"}), warning));
}

TEST_CASE("an error in the middle of a text begins a line of its own") {
  const Run broken = run({"--prompt", "Once upon a time", "--temperature", "1e-38"});
  CHECK(broken.status == 1);
  CHECK(broken.output == "Once upon a time\n");
  CHECK(has(broken.errors, "error: temperature: row 0"));
}

TEST_CASE("--jsonl: both kinds of lines in order, and status 1 for one that cannot be answered") {
  const Run served =
      run({"--jsonl", "--no-model-config"},
          "{\"input_ids\": [[0]], \"scores\": [[2.0, 1.0]], \"processors\": "
          "[{\"name\": \"top_k\", \"value\": 1}]}\n"
          "{\"prompt\": \"Once\", \"generation_config\": {\"do_sample\": true, \"top_p\": 0.9, "
          "\"max_new_tokens\": 3}}\n"
          "{\"prompt\": \"Once\", \"processors\": []}\n");
  CHECK(served.status == 1);
  CHECK(has(served.output, "{\"scores\": [[2.0, \"-inf\"]]}\n{\"sequences\""));
  CHECK(has(served.output, "{\"error\": \"line 3: unknown field 'processors'"));
}

}  // namespace
}  // namespace llm
