// inspect PATH: what a safetensors file, a model folder, a GGUF file or one of Hugging Face's JSON files
// holds, and whether it is in order.
#include <cstdio>

#include "common/cli/main.h"
#include "common/cli/options.h"
#include "tests/inspect/inspection.h"

namespace {

int program(int argc, char** argv) {
  std::string path;
  bool json = false;
  llm::Options options(
      "inspect",
      "Shows what a model's file or folder holds: tensors, parameters, config, tokenizer, the "
      "memory of its caches. Ends with status 1 if something is wrong with it.");
  options.add_argument("path", path, /*required=*/true,
                       "a safetensors or GGUF file, a model folder, or a JSON file such as config.json");
  options.add_flag("json", json, "one JSON object instead of a report");
  options.add_example("inspect data/models/storyteller");
  options.add_example("inspect models/SmolLM2-135M-Instruct.Q4_1.gguf --json");
  if (!options.parse(argc, argv)) return 0;
  const llm::Inspection inspection = llm::inspect(path);
  if (json) {
    std::puts(llm::to_json(inspection).c_str());
  } else {
    llm::print_text(inspection);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return llm::run_main(argc, argv, program); }
