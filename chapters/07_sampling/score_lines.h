// JSON lines about scores: which processors do what to them, without any model.
#pragma once

#include <span>
#include <string_view>

#include "common/cli/json_writer.h"
#include "common/io/json.h"

namespace llm {

// {"input_ids": [[..]], "attention_mask"?, "scores": [[..]], "prompt_length"?, "generation_config"?,
// "processors"?: [{"name", "value"?, ..}]}: the processors in the order given, or those of the config in
// their own order; with both, the former are custom ones. prompt_length: by default all of input_ids.
std::span<const std::string_view> score_line_fields();

// Writes {"scores": [[..]]}. A row in which every token is banned is an answer like any other.
// Errors: name the field, what it got and its range; kRange for a result that is NaN, with the processor.
void answer_score_line(const JsonReader& request, JsonWriter& answer);

}  // namespace llm
