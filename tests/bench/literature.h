// What the literature measured for Qwen3-0.6B, to stand beside ours.
#pragma once

#include <span>
#include <string_view>

#include "common/config/model_config.h"

namespace llm {

// Tokens a second of one sequence, bfloat16, PyTorch. Source: Sebastian Raschka, "Build a Reasoning Model
// (From Scratch)", chapter 2 and its materials.
struct LiteratureRow {
  std::string_view method;
  Index m4_cpu, m4_gpu, h100;  // Mac Mini M4, its GPU, one H100
  std::string_view ours;       // the stage that does the same (stage_name()); empty: none
};

std::span<const LiteratureRow> literature();

// Whether the table is about a model of this shape.
bool has_literature(const ModelConfig& config);

}  // namespace llm
