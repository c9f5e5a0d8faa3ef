// 03_kv_cache as its users run it.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/io/json.h"
#include "tests/bad_input/run_program.h"
#include "tests/temp_folder.h"

namespace llm::test {
namespace {

const std::string kModel = LLM_SOURCE_DIR "/tests/data/models/tiny-qwen3";

Run run_cached(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), {CACHED_PROGRAM, "--model", kModel, "--no-model-config"});
  return run_program(arguments, input);
}

Json json_of(const Run& run) {
  CAPTURE(run.errors);
  REQUIRE(run.status == 0);
  return parse_json(run.output, "output");
}

TEST_CASE("the same text as chapter 02, compared before it is timed") {
  const std::vector<std::string> arguments = {"--prompt", "The old teacher counts", "--max-new-tokens", "64"};
  const Run run = run_cached(arguments);
  std::vector<std::string> naive = {NAIVE_PROGRAM, "--model", kModel, "--no-model-config"};
  naive.insert(naive.end(), arguments.begin(), arguments.end());
  CHECK(run.status == 0);
  CHECK(run.output == run_program(naive).output);
  const std::size_t equal = run.errors.find("64/64"), time = run.errors.find("tok/s");
  CHECK(equal != std::string::npos);
  CHECK(time > equal);
}

TEST_CASE("--json: counts, bytes, and the same tokens whatever the pieces of the prompt") {
  const Json whole = json_of(run_cached({"--prompt", "The old teacher counts the red", "--json", "--quiet",
                                         "--max-new-tokens", "20", "--change-key", "0"}));
  const Json& stats = whole["stats"];
  const Index P = stats["prompt_tokens"].get<Index>();
  CHECK(whole["check"]["passed"] == true);
  CHECK(whole["check"]["equal"] == 20);
  CHECK(stats["positions"] == P + 19);
  CHECK(stats["naive_positions"] == 20 * P + 190);
  CHECK(stats["cache_tokens"] == P + 19);
  CHECK(stats["cache_bytes"] == stats["cache_reserved_bytes_by_formula"]);
  CHECK(stats["cache_bytes_by_formula"].get<Index>() <= stats["cache_bytes"].get<Index>());
  CHECK(whole["key_change"]["moved"].get<double>() > 0);
  CHECK(whole["key_change"]["moved_without_change"] == 0);
  const Json pieces = json_of(run_cached({"--prompt", "The old teacher counts the red", "--json", "--quiet",
                                          "--max-new-tokens", "20", "--prefill-chunk-size", "2"}));
  CHECK(pieces["new_tokens"] == whole["new_tokens"]);
  const Json small = json_of(run_cached({"--prompt", "The old teacher counts the red", "--json", "--quiet",
                                         "--max-new-tokens", "20", "--cache-dtype", "f16"}));
  CHECK(small["stats"]["cache_bytes"].get<Index>() * 2 == stats["cache_bytes"].get<Index>());
}

TEST_CASE("a conversation computes only what is new") {
  const Json chat =
      json_of(run_cached({"--chat", "Hello", "--then", "Why?", "--then", "And now?", "--template", "chatml",
                          "--json", "--quiet", "--max-new-tokens", "5"}));
  REQUIRE(chat["turns"].size() == 3);
  CHECK(chat["turns"][0]["reused_tokens"] == 0);
  for (std::size_t turn = 1; turn < 3; ++turn) {
    const Json& now = chat["turns"][turn];
    CHECK(now["check"]["passed"] == true);
    CHECK(now["reused_tokens"].get<Index>() >= chat["turns"][turn - 1]["prompt_tokens"].get<Index>());
    CHECK(now["positions"].get<Index>() == now["prompt_tokens"].get<Index>() -
                                               now["reused_tokens"].get<Index>() +
                                               static_cast<Index>(now["new_tokens"].size()) - 1);
  }
}

TEST_CASE("a saved cache is used by the next run") {
  const TempFolder folder;
  const std::string file = (folder.path() / "cache.safetensors").string();
  const Json first = json_of(run_cached({"--prompt", "The old teacher counts", "--json", "--quiet",
                                         "--max-new-tokens", "8", "--save-cache", file}));
  const Json again = json_of(run_cached({"--prompt", "The old teacher counts", "--json", "--quiet",
                                         "--max-new-tokens", "8", "--load-cache", file}));
  CHECK(again["new_tokens"] == first["new_tokens"]);
  CHECK(again["stats"]["reused_tokens"].get<Index>() == first["stats"]["prompt_tokens"].get<Index>() - 1);
  const Run other = run_cached({"--load-cache", file, "--cache-dtype", "bf16"});
  CHECK(other.status == 1);
  CHECK(other.output.empty());
  CHECK(other.errors.find("bf16") != std::string::npos);
  const Run foreign = run_program(
      {CACHED_PROGRAM, "--model", LLM_SOURCE_DIR "/tests/data/models/tiny-qwen2", "--load-cache", file});
  CHECK(foreign.status == 1);
  CHECK(foreign.errors.find("another model") != std::string::npos);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("what makes no sense is refused in one line, and nothing is printed") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad = {
      {{"--cache", "static"}, "dynamic"},
      {{"--cache", "offloaded"}, "dynamic"},
      {{"--cache", "ring"}, "--cache"},
      {{"--cache-dtype", "int8"}, "--cache-dtype"},
      {{"--check", "some"}, "--check"},
      {{"--check", "-1"}, "--check"},
      {{"--check", ""}, "--check: is empty"},
      {{"--save-cache", ""}, "--save-cache: is empty"},
      {{"--load-cache", ""}, "--load-cache: is empty"},
      {{"--chat", ""}, "--chat: is empty"},
      {{"--prompt", ""}, "--prompt"},
      {{"--prompt", "a", "--chat", "b"}, "--prompt"},
      {{"--then", "b"}, "--then"},
      {{"--chat", "a", "--then", ""}, "--then"},
      {{"--prefill-chunk-size", "0"}, "prefill-chunk-size"},
      {{"--change-key", "-1"}, "--change-key"},
      {{"--load-cache", "/no/such/file"}, "/no/such/file"},
      {{"--load-cache", kModel + "/model.safetensors"}, "no cache file"},
      {{"--save-cache", "/no/such/file"}, "/no/such/file"},
      {{"--save-cache", kModel}, "is a folder"},
      {{"--max-new-tokens", "0"}, "max-new-tokens"},
      {{"--top-k", "5"}, "--top-k"},
      {{"--no-use-cache"}, "--no-use-cache"}};
  for (const auto& [arguments, bound_word] : bad) {
    const std::string& word = bound_word;  // clang 14 cannot capture the binding itself
    CAPTURE(word);
    const Run run = run_cached(arguments);
    CHECK(run.status == 1);
    CHECK(run.output.empty());
    CHECK(run.errors.starts_with("error: "));
    CHECK_MESSAGE(run.errors.find(word) != std::string::npos, run.errors);
    CHECK(run.errors.find('\n') == run.errors.size() - 1);
  }
}

}  // namespace
}  // namespace llm::test
