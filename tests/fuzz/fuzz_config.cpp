#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/base/error.h"
#include "common/config/generation_config.h"
#include "common/config/model_config.h"
#include "common/io/json.h"

// A configuration that is accepted must also survive the way through to_json.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    llm::ModelConfig config = llm::model_config_from_json(text);
    config.warnings.clear();  // of what was left out on the way in
    if (llm::model_config_from_json(llm::to_json(config)) != config) std::abort();
  } catch (const llm::Error&) {
  }
  try {
    const llm::Json json = llm::parse_json(text, "generation_config.json");
    const auto config = llm::generation_config_from_json(llm::JsonReader(json, "generation_config.json"));
    const llm::Json again = llm::parse_json(llm::to_json(config), "again");
    if (llm::generation_config_from_json(llm::JsonReader(again, "again")) != config) std::abort();
  } catch (const llm::Error&) {
  }
  return 0;
}
