// The bench: what it runs, what it tells, what it refuses. Never how fast anything is.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "chapters/07_sampling/engines.h"
#include "common/io/json.h"
#include "common/io/mapped_file.h"
#include "tests/bad_input/run_program.h"
#include "tests/temp_folder.h"

namespace llm {
namespace {

Run bench(std::vector<std::string> arguments) {
  std::vector<std::string> command = {BENCH_PROGRAM, "--prompt-tokens", "3", "--new-tokens", "2", "--seconds",
                                      "0",           "--threads",       "1", "--sum-mib",    "8"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(command);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string read_file(const std::string& path) { return std::string(MappedFile(path).text()); }

Json one_stage(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const Run run = bench(std::move(arguments));
  REQUIRE_MESSAGE(run.status == 0, run.errors);
  CHECK(run.errors.empty());
  const Json report = parse_json(run.output, "bench");
  REQUIRE(report["stages"].size() == 1);
  return report;
}

void check_speeds(const Json& stage) {
  for (const std::string name : {"prefill_tokens_per_s", "decode_tokens_per_s", "read_bytes_per_s"}) {
    CHECK(stage[name + "_min"].get<double>() > 0);
    CHECK(stage[name + "_min"] <= stage[name]);
    CHECK(stage[name] <= stage[name + "_max"]);
  }
  for (const char* name : {"prefill_share_of_flops", "decode_share_of_flops", "decode_share_of_bandwidth",
                           "load_s", "first_prefill_s", "prefill_s", "first_step_s", "step_s"})
    CHECK_MESSAGE(stage[name].get<double>() > 0, name);
  CHECK(stage["runs"].get<Index>() >= 3);
}

TEST_CASE("all stages: every engine of the table, with tables, JSON and a chart") {
  const TempFolder folder;
  const std::string svg = folder.path() / "chart.svg", save = folder.path() / "bench.json";
  const Run run = bench({"--json", "--svg", svg, "--save", save});
  REQUIRE_MESSAGE(run.status == 0, run.errors);
  const Json report = parse_json(run.output, "bench");
  CHECK(parse_json(read_file(save), "file") == report);
  std::string names;
  for (const Json& stage : report["stages"]) {
    check_speeds(stage);
    names += stage["stage"].get<std::string>() + ";";
    CHECK(has(run.errors, stage["stage"].get<std::string>()));
    CHECK(stage["tokens"].size() == 3);
    REQUIRE(stage["seconds_to"].size() == 1);  // 2,000 tokens are more than the model's 1,024
    CHECK(stage["seconds_to"][0]["new_tokens"] == 500);
    CHECK(stage["seconds_to"][0]["seconds"].get<double>() > 0);
    CHECK(stage["seconds_to"][0]["measured"] == false);  // --seconds 0
  }
  CHECK(names.starts_with("naive;cached dynamic;cached static;cached int8;"));
  for (const EngineKind& kind : engines()) CHECK(has(names, std::string(kind.name)));
  for (const char* key : {"cpu", "system", "isa", "threads", "peak_flops_per_s", "read_bytes_per_s"})
    CHECK_MESSAGE(report["machine"].contains(key), key);
  for (const char* key :
       {"compiler", "flags", "date", "model", "batch", "prompt_tokens", "new_tokens", "depth"})
    CHECK_MESSAGE(report.contains(key), key);
  for (const char* words : {"prefill tok/s", "decode tok/s", "memory", "first", "about", "2,000 new tokens"})
    CHECK_MESSAGE(has(run.errors, words), words);
  CHECK_FALSE(has(run.errors, "H100"));  // another shape
  CHECK(has(read_file(svg), "cached int8"));
}

TEST_CASE("one stage, as the flags say") {
  const Json naive = one_stage({"--engine", "naive"});
  CHECK(naive["stages"][0]["stage"] == "naive");
  const Json report = one_stage({"--engine", "cached", "--cache", "static", "--cache-dtype", "bf16",
                                 "--offload", "--batch", "3", "--depth", "5"});
  CHECK(report["batch"] == 3);
  CHECK(report["depth"] == 5);
  const Json& stage = report["stages"][0];
  check_speeds(stage);
  CHECK(stage["engine"] == "cached");
  CHECK(stage["cache"] == "static");
  CHECK(stage["cache_dtype"] == "bf16");
  CHECK(stage["offload"] == true);
  CHECK(stage["compute"] == "exact");
  CHECK(one_stage({"--engine", "cached", "--cache", "offloaded"})["stages"][0]["offload"] == true);
  CHECK(one_stage({"--engine", "cached", "--dtype", "q8_0"})["stages"][0]["dtype"] == "q8_0");
}

TEST_CASE("bytes a token: the weights once a step, the cache of each row") {
  const auto bytes = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--engine", "cached"});
    return one_stage(std::move(arguments))["stages"][0]["bytes_per_token"].get<double>();
  };
  // 992,960 parameters less the norms: 5 layers of D 128, F 320, H 4, KH 2, Dh 32; the head is the
  // embeddings.
  const double weights = 4.0 * (5 * (2 * 128 * 128 + 2 * 128 * 64 + 3 * 128 * 320) + 128 * 1024);
  const double token = 2.0 * 5 * 2 * 32 * 4;  // keys and values of a token
  CHECK(bytes({}) == doctest::Approx(weights + 4 * token));
  CHECK(bytes({"--depth", "100"}) == doctest::Approx(weights + 104 * token));
  CHECK(bytes({"--batch", "4"}) == doctest::Approx(weights / 4 + 4 * token));
  CHECK(bytes({"--depth", "100", "--cache-dtype", "f16"}) == doctest::Approx(weights + 104 * token / 2));
}

TEST_CASE("every kind of cache goes on after a filled one, with the same tokens") {
  const Json whole = one_stage({"--engine", "cached", "--depth", "40"});
  for (const char* cache : {"static", "int8", "sliding"}) {
    const Json report =
        one_stage({"--engine", "cached", "--depth", "40", "--cache", cache, "--sliding-window", "64"});
    CHECK_MESSAGE(report["stages"][0]["tokens"] == whole["stages"][0]["tokens"], cache);
  }
}

TEST_CASE("what cannot be done is said") {
  const auto refused = [](std::vector<std::string> arguments, const std::string& words) {
    const Run run = bench(std::move(arguments));
    CHECK(run.status == 1);
    CHECK_MESSAGE(has(run.errors, words), run.errors);
    CHECK(run.output.empty());
  };
  refused({"--engine", "warp"}, "--engine");
  if (engines().back().name != "cuda") refused({"--engine", "cuda"}, "cached");  // the names that are built
  refused({"--cache", "round"}, "--cache");
  refused({"--engine", "naive", "--cache", "static"}, "has none");
  refused({"--engine", "naive", "--depth", "8"}, "--prompt-tokens");
  refused({"--engine", "naive", "--compute", "fast"}, "exact");
  refused({"--batch", "0"}, "--batch");
  refused({"--threads", "0"}, "--threads");
  refused({"--threads", "10000"}, "--threads");
  refused({"--dtype", "q3"}, "--dtype");
  refused({"--engine", "cached", "--depth", "1100"}, "1024 (max_position_embeddings)");
  refused({"--model", "random:gpt-9"}, "gpt-9");
}

TEST_CASE("a format whose blocks do not divide the rows: an error alone, left out beside others") {
  const Run alone = bench({"--model", "storyteller-draft-llama", "--engine", "cached", "--dtype", "q4_0"});
  CHECK(alone.status == 1);
  CHECK_MESSAGE(has(alone.errors, "rows of 176 values, expected multiples of 32"), alone.errors);
  if (engines().back().name == "cached") return;  // no engine that keeps number formats is built
  const Run all = bench({"--model", "storyteller-draft-llama", "--json"});
  REQUIRE(all.status == 0);
  CHECK(has(all.errors, "left out"));
  CHECK(has(parse_json(all.output, "bench")["left_out"].dump(), "q4_0"));
}

TEST_CASE("--compare is another program, with options of its own") {
  const Run help = run_program({BENCH_PROGRAM, "--compare", "--help"});
  CHECK(help.status == 0);
  for (const char* word : {"--rounds", "--peers", "--dtypes", "llama.cpp"})
    CHECK_MESSAGE(has(help.output, word), word);
}

}  // namespace
}  // namespace llm
