// Every malformed file of tests/bad_input/data must be refused by name, and every good one accepted, by the
// program as its users run it. The list with what is wrong and which words a message must have is in
// data/manifest.json.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string>

#include "common/io/json.h"
#include "tests/bad_input/run_program.h"

namespace llm {
namespace {

const std::string kData = LLM_SOURCE_DIR "/tests/bad_input/data/";

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The message without the path, which has words of its own.
std::string message_of(const Run& run) {
  std::string message = run.errors;
  for (std::size_t at; (at = message.find(kData)) != std::string::npos;) {
    const std::size_t end = message.find(": ", at);
    message.erase(at, end == std::string::npos ? std::string::npos : end - at);
  }
  return lower(message);
}

void check_refused(const std::string& path, const JsonReader& words) {
  CAPTURE(path);
  const Run run = run_program({INSPECT_PROGRAM, path});
  CHECK(run.status == 1);
  CHECK(run.errors.starts_with("error: " + path));
  CHECK(run.errors.find('\n') == run.errors.size() - 1);  // one line
  CHECK(run.output.empty());
  CAPTURE(run.errors);
  const std::vector<std::string> any = words.strings();
  CHECK(std::ranges::any_of(any, [&](const std::string& word) {
    return message_of(run).find(lower(word)) != std::string::npos ||
           run.errors.find(word) != std::string::npos;
  }));
}

TEST_CASE("every malformed file is refused with a message that says what is wrong") {
  const Json manifest = read_json_file(kData + "manifest.json");
  const JsonReader list(manifest, "manifest.json");
  int refused = 0;
  for (Index i = 0; i < list.size(); ++i) {
    const JsonReader entry = list.at(i);
    const std::string file = entry.at("file").string(), kind = entry.at("kind").string();
    if (!entry.has("wrong")) {
      CAPTURE(file);
      const Run run = run_program({INSPECT_PROGRAM, kData + file, "--json"});
      CHECK(run.status == 0);
      CHECK(run.errors.empty());
      CHECK(parse_json(run.output, "output").contains("tensors"));
      continue;
    }
    check_refused(kData + file, entry.at("words_any_of"));
    // A folder of a model with the file in it is refused just the same.
    if (kind == "config" || kind == "tokenizer")
      check_refused(kData + file.substr(0, file.rfind('/')), entry.at("words_any_of"));
    ++refused;
  }
  CHECK(refused == 53);
}

TEST_CASE("a missing path, an empty folder and an unknown flag are refused too") {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{kData + "nothing_here"},
                                             {kData + "index"},
                                             {kData + "good.gguf", "--jason"},
                                             {kData + "manifest.json"},
                                             {}}) {
    std::vector<std::string> command = {INSPECT_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Run run = run_program(command);
    CAPTURE(run.errors);
    CHECK(run.status == 1);
    CHECK(run.errors.starts_with("error: "));
  }
}

TEST_CASE("a good sharded model is shown whole") {
  const Run run = run_program({INSPECT_PROGRAM, kData + "index/good_index", "--json"});
  REQUIRE(run.status == 0);
  const Json json = parse_json(run.output, "output");
  CHECK(json["kind"] == "model folder");
  CHECK(json["config"]["hidden_size"] == json["tensors"][0]["shape"].back());
  Index total = 0, bytes = 0;
  for (const Json& tensor : json["tensors"]) {
    Index elements = 1;
    for (const Json& extent : tensor["shape"]) elements *= extent.get<Index>();
    total += elements;
    bytes += tensor["bytes"].get<Index>();
  }
  CHECK(json["parameters"]["total"] == total);
  CHECK(json["weight_bytes"] == bytes);
  const Run text = run_program({INSPECT_PROGRAM, kData + "index/good_index"});
  CHECK(text.output.find("model.embed_tokens.weight") != std::string::npos);
}

}  // namespace
}  // namespace llm
