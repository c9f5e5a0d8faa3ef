#include "common/cli/options.h"

#include <doctest/doctest.h>

#include <csignal>

#include "common/base/error.h"
#include "common/base/parallel.h"
#include "common/cli/main.h"
#include "tests/message_of.h"

namespace llm {
namespace {

constexpr std::string_view kFields[] = {"max_new_tokens", "temperature", "do_sample",     "eos_token_id",
                                        "stop_strings",   "use_cache",   "length_penalty"};
constexpr std::string_view kEngine[] = {"engine", "cache", "dtype", "compute", "offload"};

struct Parsed {
  CommonFlags common;
  EngineFlags engine;
  GenerationConfig generation;
  bool jsonl = false, ignore_eos = false;
  Index check = 5;
  std::optional<Index> depth;
  double scale = 0.5;
  std::vector<std::string> names;
  std::string path;
  bool prompt_given = false;
};

Parsed parse(std::vector<const char*> arguments) {
  Parsed result;
  Options options("99_test", "Tests the command line.");
  options.add_common(result.common);
  options.add_jsonl(result.jsonl);
  options.add_engine(result.engine, kEngine);
  options.add_generation(result.generation, kFields);
  options.add_flag("ignore-eos", result.ignore_eos, "go on after the end");
  options.add_integer("check", result.check, 0, 100, "tokens to check");
  options.add_integer("depth", result.depth, 1, 9, "how deep");
  options.add_number("scale", result.scale, 0.0, 1.0, "how large");
  options.add_texts("name", result.names, "names");
  options.add_argument("PATH", result.path, false, "a file");
  arguments.insert(arguments.begin(), "99_test");
  const bool goes_on = options.parse(static_cast<int>(arguments.size()), arguments.data());
  CHECK(goes_on);
  result.prompt_given = options.given("prompt");
  return result;
}

std::string error_of(std::vector<const char*> arguments) {
  return message_of([&] { parse(std::move(arguments)); });
}

TEST_CASE("without flags everything keeps its default") {
  const Parsed parsed = parse({});
  CHECK(parsed.common.model == "storyteller");
  CHECK(parsed.common.seed == 0);
  CHECK(parsed.engine.dtype == "file");
  CHECK(parsed.generation == GenerationConfig{});
  CHECK_FALSE(parsed.prompt_given);
  CHECK_FALSE(parsed.depth.has_value());
}

TEST_CASE("flags reach their targets") {
  const int threads_before = num_threads();
  const Parsed parsed = parse({"--model",   "m",       "--prompt=-x", "--seed",     "18446744073709551615",
                               "--threads", "1",       "--quiet",     "--jsonl",    "--engine",
                               "cached",    "--cache", "offloaded",   "--quantize", "q8_0",
                               "--check",   "0",       "--depth",     "9",          "--scale",
                               "1e-2",      "--name",  "a",           "--name",     "b",
                               "file.gguf"});
  CHECK(parsed.common.model == "m");
  CHECK(parsed.common.prompt == "-x");
  CHECK(parsed.prompt_given);
  CHECK(parsed.common.seed == UINT64_MAX);
  CHECK(num_threads() == 1);
  CHECK((parsed.common.quiet && parsed.jsonl && !parsed.common.json));
  CHECK(parsed.engine.engine == "cached");
  CHECK(parsed.engine.cache == "dynamic");
  CHECK(parsed.engine.offload);
  CHECK(parsed.engine.dtype == "q8_0");
  CHECK(parsed.check == 0);
  CHECK(parsed.depth == 9);
  CHECK(parsed.scale == 0.01);
  CHECK(parsed.names == std::vector<std::string>{"a", "b"});
  CHECK(parsed.path == "file.gguf");
  set_num_threads(threads_before);
}

TEST_CASE("generation flags come from the field table and count as given") {
  const Parsed parsed = parse({"--max-new-tokens", "7", "--temperature", "0.5", "--do-sample",
                               "--no-use-cache", "--eos-token-id", "2,5", "--stop-strings", "a",
                               "--stop-strings", "b c", "--length-penalty", "-1.5"});
  CHECK(parsed.generation.max_new_tokens == 7);
  CHECK(parsed.generation.temperature == 0.5);
  CHECK(parsed.generation.do_sample);
  CHECK_FALSE(parsed.generation.use_cache);
  CHECK(parsed.generation.eos_token_id == std::vector<Token>{2, 5});
  CHECK(parsed.generation.stop_strings == std::vector<std::string>{"a", "b c"});
  CHECK(parsed.generation.length_penalty == -1.5);
  CHECK(parsed.generation.given.size() == 7);
  CHECK_FALSE(parse({"--do-sample=false"}).generation.do_sample);
}

TEST_CASE("a wrong command line gives one clear error") {
  CHECK(error_of({"--max-new-token", "3"}) ==
        "--max-new-token: unknown flag; did you mean --max-new-tokens?");
  CHECK(error_of({"--top_p=3"}).starts_with("--top_p: unknown flag"));
  CHECK(error_of({"--frobnicate"}) == "--frobnicate: unknown flag; see --help");
  CHECK(error_of({"a", "b"}) == "'b': unexpected argument; see --help");
  CHECK(error_of({"--seed", "x"}) == "--seed: got 'x', expected an integer of at least 0");
  CHECK(error_of({"--seed", "-1"}) == "--seed: got '-1', expected an integer of at least 0");
  CHECK(error_of({"--threads", "0"}) == "--threads: got '0', expected an integer from 1 to 1024");
  CHECK(error_of({"--check", "101"}) == "--check: got '101', expected an integer from 0 to 100");
  CHECK(error_of({"--check", "7x"}) == "--check: got '7x', expected an integer from 0 to 100");
  CHECK(error_of({"--check", "99999999999999999999"}) ==
        "--check: got '99999999999999999999', expected an integer from 0 to 100");
  CHECK(error_of({"--scale", "nan"}) == "--scale: got 'nan', expected a number from 0 to 1");
  CHECK(error_of({"--engine", "warp"}) == "--engine: got 'warp', expected one of naive, cached, fused, cuda");
  CHECK(error_of({"--dtype", "f64"}) ==
        "--dtype: got 'f64', expected one of file, f32, bf16, f16, q8_0, q4_0");
  CHECK(error_of({"--temperature", "-1"}) == "--temperature: got -1, expected a number of at least 0");
  CHECK(error_of({"--temperature", "warm"}) ==
        "--temperature: got \"warm\", expected a number of at least 0");
  CHECK(error_of({"--model", "a", "--model", "b"}) == "--model: given more than once");
  CHECK(error_of({"--prompt"}).find("--prompt") != std::string::npos);
}

TEST_CASE("an argument that must be there") {
  Options options("inspect", "Shows.");
  std::string path;
  options.add_argument("PATH", path, true, "what to show");
  const char* const arguments[] = {"inspect"};
  CHECK_THROWS_WITH_AS(options.parse(1, arguments), "PATH: is missing; see --help", Error);
}

TEST_CASE("run_main turns whatever is thrown into status 1") {
  CHECK(run_main(0, nullptr, [](int, char**) { return 0; }) == 0);
  CHECK(run_main(0, nullptr, [](int, char**) { return 7; }) == 7);
  CHECK(run_main(0, nullptr,
                 [](int, char**) -> int { fail(ErrorCode::kIo, {.what = "expected: an error"}); }) == 1);
  CHECK(run_main(0, nullptr, [](int, char**) -> int { throw std::bad_alloc(); }) == 1);
  CHECK(run_main(0, nullptr, [](int, char**) -> int { throw 5; }) == 1);
  const bool ignored = std::signal(SIGXFSZ, SIG_IGN) == SIG_IGN;  // a file at its limit of size is an error
  CHECK(ignored);
}

}  // namespace
}  // namespace llm
