// 05_fused_cpu as its users run it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/base/isa.h"
#include "common/io/json.h"
#include "tests/bad_input/run_program.h"

namespace llm::test {
namespace {

const std::string kModels = LLM_SOURCE_DIR "/tests/data/models/";

Run run_fused(const std::string& model, std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), {FUSED_PROGRAM, "--model", kModels + model, "--no-model-config"});
  return run_program(arguments, input);
}

Json json_of(const Run& run) {
  REQUIRE_MESSAGE(run.status == 0, run.errors);
  return parse_json(run.output, "output");
}

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

// NT_ISA for the programs that are run while this lives.
class ForcedIsa {
 public:
  explicit ForcedIsa(const std::string& name) {
    if (const char* before = std::getenv("NT_ISA")) before_ = before;
    ::setenv("NT_ISA", name.c_str(), 1);
  }
  ForcedIsa(const ForcedIsa&) = delete;
  ForcedIsa& operator=(const ForcedIsa&) = delete;
  ~ForcedIsa() {
    if (before_)
      ::setenv("NT_ISA", before_->c_str(), 1);
    else
      ::unsetenv("NT_ISA");
  }

 private:
  std::optional<std::string> before_;
};

struct Case {
  std::string model;
  std::vector<std::string> flags;
};

TEST_CASE("chapter 02's text, with any cache and on any number of threads, said before any speed") {
  const std::vector<Case> cases = {{"tiny-qwen3", {"--cache", "static", "--threads", "3"}},
                                   {"tiny-qwen3", {"--mapped-weights"}},
                                   {"tiny-qwen3", {"--cache", "offloaded"}},
                                   {"tiny-qwen2", {}},
                                   {"tiny-llama", {"--prefill-chunk-size", "3"}},
                                   {"tiny-qwen3-bf16", {"--threads", "1"}}};
  for (const Case& one : cases) {
    const std::string& model = one.model;
    const std::vector<std::string>& flags = one.flags;
    CAPTURE(model);
    const std::vector<std::string> prompt = {"--prompt", "The old teacher counts", "--max-new-tokens", "30"};
    std::vector<std::string> naive = {NAIVE_PROGRAM, "--model", kModels + model, "--no-model-config"};
    naive.insert(naive.end(), prompt.begin(), prompt.end());
    std::vector<std::string> arguments = prompt;
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    arguments.insert(arguments.end(), {"--check", "all"});
    const Run run = run_fused(model, arguments);
    CHECK(run.status == 0);
    CHECK(run.output == run_program(naive).output);
    CHECK(contains(run.errors, "tokens equal to 02      30/30"));
    CHECK(contains(run.errors, "tokens equal to 04      30/30"));
    CHECK(run.errors.find("30/30") < run.errors.find("tok/s"));
  }
}

TEST_CASE("the report stands beside what the machine can do, and adds up") {
  const Json json =
      json_of(run_fused("tiny-qwen3-bf16", {"--json", "--max-new-tokens", "9", "--check", "all"}));
  CHECK(json["check"]["equal"] == 9);
  CHECK(json["check"]["equal_to_04"] == 9);
  CHECK(json["weights"] == "BF16");
  CHECK(json["isa"] == std::string(isa_name(available_isas().back())));
  const Json& stats = json["stats"];
  CHECK(stats["peak_flops_per_s"].get<double>() > 1e8);
  CHECK(stats["read_bytes_per_s"].get<double>() > 1e7);
  CHECK(stats["cached"]["decode_tokens_per_s"].get<double>() > 0);
  const double tokens = stats["fused"]["decode_tokens_per_s"], bytes = stats["fused"]["decode_bytes_per_s"];
  CHECK(bytes / tokens > stats["weight_bytes"].get<double>());  // and the cache
  CHECK(bytes / tokens < stats["weight_bytes"].get<double>() + stats["cache_bytes"].get<double>());

  const Run quiet = run_fused("tiny-qwen3", {"--quiet", "--max-new-tokens", "2"});
  CHECK(quiet.errors.empty());
}

TEST_CASE("weights are converted, and compared with chapter 02 on the same ones") {
  for (const char* dtype : {"f32", "bf16", "f16", "q8_0", "q4_0"}) {
    CAPTURE(dtype);
    const Run run = run_fused(
        "tiny-qwen3", {"--quantize", dtype, "--json", "--quiet", "--max-new-tokens", "12", "--check", "all"});
    const Json json = json_of(run);
    std::string name = json["weights"];
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    CHECK(name == dtype);
    CHECK(json["check"]["equal"] == json["check"]["compared"]);
  }
  const Run odd = run_fused("tiny-qwen2", {"--dtype", "q8_0", "--max-new-tokens", "5"});
  CHECK(odd.status == 0);
  CHECK(contains(odd.errors, "warning: 'model.layers.0.mlp.down_proj.weight', "));
  CHECK(contains(odd.errors, "stay as they are: the rows are no multiples of 32, the block of Q8_0"));
  CHECK(contains(odd.errors, "Q8_0"));
  CHECK(contains(odd.errors, "F32"));
}

TEST_CASE("where numbers are rounded, errors and perplexity are told instead") {
  const std::vector<std::string> fast = {"--quantize", "q8_0", "--compute", "fast", "--max-new-tokens", "20"};
  const Run rounded = run_fused("tiny-qwen3", fast);
  CHECK(rounded.status == 0);
  CHECK(contains(rounded.errors, "of the largest at most; same best token in "));
  CHECK(contains(rounded.errors, "perplexity"));
  CHECK(contains(rounded.errors, "fast: what is multiplied with all weights is rounded"));
  CHECK_FALSE(contains(rounded.errors, "tokens equal to 02"));
  const Json cache = json_of(run_fused("tiny-qwen3", {"--cache", "int8", "--residual-length", "0", "--json",
                                                      "--quiet", "--max-new-tokens", "20"}));
  CHECK(cache["check"]["largest_error"].get<double>() > 0);
  CHECK(cache["check"]["largest_error"].get<double>() < 0.05);
  CHECK(cache["check"]["compared"] == 20);
  const double change =
      cache["check"]["perplexity"].get<double>() / cache["check"]["exact_perplexity"].get<double>();
  CHECK(change == doctest::Approx(1).epsilon(0.05));
  CHECK(change != 1);

  const ForcedIsa baseline("baseline");  // has nothing for bfloat16
  const Run run = run_fused("tiny-qwen3", {"--dtype", "bf16", "--compute", "fast", "--max-new-tokens", "20"});
  CHECK(run.status == 0);
  CHECK(contains(run.errors, "exact is used: baseline has no fast product for BF16 weights"));
  CHECK(contains(run.errors, "baseline: NT_ISA asks for it"));
  CHECK(contains(run.errors, "tokens equal to 02"));
}

TEST_CASE("JSON lines get chapter 02's answers") {
  const std::string lines =
      R"({"input_ids": [[5, 9, 200, 31], [7, 7, 8, 2]], "generation_config": {"max_new_tokens": 9}})"
      "\n"
      R"({"prompt": "The old", "cache": "int8", "generation_config": {"max_new_tokens": 5}})"
      "\n";
  const Run fused = run_fused("tiny-qwen3", {"--jsonl"}, lines);
  const Run naive =
      run_program({NAIVE_PROGRAM, "--model", kModels + "tiny-qwen3", "--no-model-config", "--jsonl"},
                  R"({"input_ids": [[5, 9, 200, 31], [7, 7, 8, 2]], )"
                  R"("generation_config": {"max_new_tokens": 9}})"
                  "\n");
  REQUIRE(fused.status == 0);
  const std::size_t end = fused.output.find('\n');
  const Json first = parse_json(fused.output.substr(0, end), "line 1");
  CHECK(first["sequences"] == parse_json(naive.output, "naive")["sequences"]);
  CHECK(parse_json(fused.output.substr(end + 1), "line 2")["sequences"][0].size() > 5);

  const Run wrong = run_fused("tiny-qwen3", {"--jsonl"},
                              R"({"prompt": "The", "engine": "naive"})"
                              "\n");
  CHECK(wrong.status == 1);
  CHECK(contains(wrong.output, "fused"));
}

TEST_CASE("autotune shows the variants, marks one and uses it") {
  const Run run =
      run_fused("tiny-qwen3", {"--autotune", "--threads", "2", "--max-new-tokens", "4", "--json"});
  REQUIRE(run.status == 0);
  const Json json = parse_json(run.output, "output");
  const std::size_t chosen = run.errors.find("chosen");
  REQUIRE(chosen != std::string::npos);
  CHECK(run.errors.find("chosen", chosen + 1) == std::string::npos);
  const std::size_t line = run.errors.rfind('\n', chosen) + 1;
  CHECK(run.errors.substr(line, chosen - line).starts_with(json["isa"].get<std::string>() + " "));
  CHECK(contains(run.errors, "\nbaseline"));
  const ForcedIsa baseline("baseline");
  const Run forced =
      run_fused("tiny-qwen3", {"--autotune", "--threads", "1", "--max-new-tokens", "4", "--json"});
  CHECK(json_of(forced)["isa"] == "baseline");
  CHECK_FALSE(contains(forced.errors, "avx2"));
}

TEST_CASE("mistakes end with one line and status 1") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad = {
      {{"--threads", "0"}, "--threads: got '0', expected an integer from 1 to 1024"},
      {{"--threads", "10000"}, "--threads: got '10000'"},
      {{"--compute", "quick"}, "exact, fast"},
      {{"--dtype", "q4_k"}, "q8_0, q4_0"},
      {{"--ladder", "--jsonl"}, "--jsonl: does not go with --ladder"},
      {{"--ladder", "--autotune"}, "--autotune: does not go with --ladder"},
      {{"--ladder", "--compute", "fast"}, "--compute: does not go with --ladder"},
      {{"--ladder", "--depth", "100000"}, "max_position_embeddings"},
      {{"--ladder", "--runs", "0"}, "--runs"},
      {{"--depth", "3"}, "--depth: goes with --ladder only"},
      {{"--group-size", "32"}, "--group-size: has no effect with --cache dynamic"},
      {{"--check", "some"}, "--check"}};
  for (const auto& [arguments, words] : bad) {
    const Run run = run_fused("tiny-qwen3", arguments);
    CAPTURE(run.errors);
    CHECK(run.status == 1);
    CHECK(contains(run.errors, words));
    CHECK(run.errors.starts_with("error: "));
    CHECK(run.output.empty());
  }
  for (const char* isa : {"avx1024", "neon", "avx2"}) {
    const auto known = isa_from_name(isa);
    const auto available = available_isas();
    if (known && std::ranges::count(available, *known) > 0) continue;
    const ForcedIsa forced(isa);
    const Run run = run_fused("tiny-qwen3", {"--max-new-tokens", "2"});
    CHECK(run.status == 1);
    CHECK(contains(run.errors, std::string("NT_ISA: ") +
                                   (known ? "this machine does not have" : "unknown instruction set")));
    CHECK(contains(run.errors, "expected one of baseline"));
  }
}

TEST_CASE("the ladder") {
  const Run run = run_fused(
      "tiny-qwen3", {"--ladder", "--prompt-tokens", "20", "--new-tokens", "4", "--runs", "2", "--json"});
  const Json json = json_of(run);
  CHECK(json["ladder"].size() == 11);
  for (const Json& row : json["ladder"]) CHECK(row["passed"] == true);
  for (const char* words : {"The ladder: ", "20 tokens, then 4 more", "one operator at a time", "Q4_0, fast",
                            "INT8 cache in place"})
    CHECK_MESSAGE(contains(run.errors, words), words);
}

}  // namespace
}  // namespace llm::test
