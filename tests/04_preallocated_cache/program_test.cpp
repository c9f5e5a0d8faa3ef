// 04_preallocated_cache as its users run it.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/io/json.h"
#include "tests/bad_input/run_program.h"
#include "tests/temp_folder.h"

namespace llm::test {
namespace {

const std::string kModel = LLM_SOURCE_DIR "/tests/data/models/tiny-qwen3";

Run run_cache(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), {CACHE_PROGRAM, "--model", kModel, "--no-model-config"});
  return run_program(arguments, input);
}

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST_CASE("every kind of cache writes chapter 02's text, and says so before it tells speeds") {
  const std::vector<std::string> prompt = {"--prompt", "The old teacher counts", "--max-new-tokens", "30"};
  std::vector<std::string> naive = {NAIVE_PROGRAM, "--model", kModel, "--no-model-config"};
  naive.insert(naive.end(), prompt.begin(), prompt.end());
  const std::string expected = run_program(naive).output;
  for (const char* kind : {"dynamic", "static", "offloaded", "int8"}) {
    CAPTURE(kind);
    std::vector<std::string> arguments = prompt;
    arguments.insert(arguments.end(), {"--cache", kind, "--check", "all"});
    const Run run = run_cache(arguments);
    CHECK(run.status == 0);
    CHECK(run.output == expected);
    CHECK(contains(run.errors, "30/30"));
    CHECK(run.errors.find("30/30") < run.errors.find("tok/s"));
  }
}

TEST_CASE("a window") {
  const Run run = run_cache(
      {"--cache", "sliding", "--sliding-window", "4", "--check", "all", "--json", "--max-new-tokens", "30"});
  REQUIRE(run.status == 0);
  const Json json = parse_json(run.output, "output");
  CHECK(json["check"]["equal"] == 30);
  CHECK(json["check"]["equal_to_dynamic"] == 30);
  CHECK(json["stats"]["cache_bytes"] == json["stats"]["formula_bytes"]);
  const Run other =
      run_cache({"--sliding-window", "4", "--max-new-tokens", "30", "--json", "--cache", "static"});
  const Json wide = parse_json(other.output, "output");
  CHECK(wide["new_tokens"] == json["new_tokens"]);
  CHECK(wide["stats"]["cache_bytes"].get<Index>() > 5 * json["stats"]["cache_bytes"].get<Index>());
}

TEST_CASE("mistakes end with one line and status 1") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad = {
      {{"--cache", "sliding"}, "--sliding-window"},
      {{"--max-cache-len", "0"}, "max-cache-len"},
      {{"--max-cache-len", "1", "--prompt", "The old teacher"}, "max_cache_len must be"},
      {{"--cache", "int8", "--group-size", "7"}, "divisor of head_dim"},
      {{"--cache", "int4", "--residual-length", "-1"}, "residual-length"},
      {{"--sliding-window", "0"}, "sliding-window"},
      {{"--cache", "paged"}, "dynamic, static, sliding, int8, int4"},
      {{"--perplexity", "/no/such/file"}, "/no/such/file"},
      {{"--perplexity", ""}, "--perplexity: is empty"},
      {{"--check", ""}, "--check: is empty"},
      {{"--cache", "static", "--group-size", "32"}, "--group-size: has no effect with --cache static"},
      {{"--residual-length", "4"}, "--residual-length: has no effect"},
      {{"--cache", "int8", "--max-chunk", "4"}, "--max-chunk: has no effect with --cache int8"},
      {{"--cache", "dynamic", "--max-cache-len", "40"}, "--max-cache-len: has no effect"},
      {{"--perplexity-tokens", "9"}, "goes with --perplexity only"},
      {{"--memory-table", "--perplexity", kModel}, "--perplexity: does not go with --memory-table"},
      {{"--jsonl", "--perplexity", kModel}, "--jsonl: does not go with --perplexity"}};
  for (const auto& [arguments, words] : bad) {
    const Run run = run_cache(arguments);
    CAPTURE(run.errors);
    CHECK(run.status == 1);
    CHECK(contains(run.errors, words));
    CHECK(contains(run.errors, "error: "));
    CHECK((run.output.empty() || run.output.back() == '\n'));
  }
}

TEST_CASE("an error in the middle of a text begins a line of its own") {
  const Run run = run_cache({"--prompt", "The old teacher", "--max-cache-len", "12"});
  CHECK(run.status == 1);
  CHECK(run.output.starts_with("The old teacher"));
  CHECK(run.output.back() == '\n');
  CHECK(contains(run.errors, "max_cache_len must be"));
}

// A copy of the model with one more tensor in its file.
void write_with_stranger(const TempFolder& folder) {
  for (const char* name : {"config.json", "tokenizer.json", "tokenizer_config.json"})
    std::filesystem::copy(kModel + "/" + name, folder.path() / name);
  std::ifstream in(kModel + "/model.safetensors", std::ios::binary);
  std::uint64_t length = 0;
  in.read(reinterpret_cast<char*>(&length), sizeof length);
  std::string header(length, ' ');
  in.read(header.data(), static_cast<std::streamsize>(length));
  const std::string data{std::istreambuf_iterator<char>(in), {}};
  Json json = parse_json(header, "header");
  json["stranger"] = {
      {"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {data.size(), data.size() + sizeof(float)}}};
  header = json.dump();
  length = header.size();
  const std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  folder.write("model.safetensors", file + header + data + std::string(sizeof(float), '\0'));
}

TEST_CASE("a tensor that the model has no place for is a warning") {
  const TempFolder folder;
  write_with_stranger(folder);
  const Run run = run_program({CACHE_PROGRAM, "--model", folder.path().string(), "--max-new-tokens", "2"});
  CHECK(run.status == 0);
  CHECK(contains(run.errors, "warning: tensor 'stranger' has no place in a qwen3 model"));
}

TEST_CASE("memory tables and perplexity") {
  const Run tables = run_cache({"--memory-table"});
  CHECK(tables.status == 0);
  for (const char* words :
       {"Qwen3-0.6B", "Qwen2.5-7B", "70 B", "131,072 tokens", "int4, tail bf16", "85.9 GB"})
    CHECK_MESSAGE(contains(tables.errors, words), words);
  const Json json = parse_json(run_cache({"--memory-table", "--json"}).output, "output");
  REQUIRE(json["models"].size() == 5);
  CHECK(json["models"][0]["caches"]["static bf16"]["1024"] == 112 << 20);
  CHECK(json["models"][3]["caches"]["static bf16"]["32768"] == Index{80} << 30);
  const TempFolder folder;
  const auto file = folder.write(
      "text.txt", "The old teacher counts the red houses, and then the green ones, and goes home.");
  const Run quality = run_cache({"--perplexity", file.string(), "--json", "--perplexity-tokens", "20"});
  REQUIRE(quality.status == 0);
  const Json rows = parse_json(quality.output, "output")["quality"];
  REQUIRE(rows.size() == 4);
  for (const Json& row : rows)
    CHECK(row["perplexity"].get<double>() ==
          doctest::Approx(rows[0]["perplexity"].get<double>()).epsilon(0.02));
  CHECK(rows[0]["tokens"].get<Index>() <= 20);
}

TEST_CASE("JSON lines") {
  const Run run = run_cache({"--jsonl"},
                            "{\"prompt\": \"The old\", \"cache\": \"int8\", \"generation_config\": "
                            "{\"max_new_tokens\": 4}}\n{\"prompt\": \"The\", \"cache\": 3}\n");
  CHECK(run.status == 1);
  CHECK(contains(run.output, "sequences"));
  CHECK(contains(run.output, "line 2"));
}

}  // namespace
}  // namespace llm::test
