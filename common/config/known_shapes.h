// The shapes of well-known models, for `--model random:NAME`: speed work without a download.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/model_config.h"

namespace llm {

// "qwen3-0.6b", "qwen3-1.7b", "qwen3-4b", "smollm2-135m", "llama-3.2-1b".
std::vector<std::string_view> known_shapes();

// The config of that model, exactly as in its config.json. Errors: kUsage for an unknown name, with all
// names.
ModelConfig random_config(std::string_view name);

}  // namespace llm
