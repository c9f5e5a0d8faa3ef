// 02_naive_loop --jsonl: a request a line in, an answer a line out (common/cli/generate_request.h).
#pragma once

#include <iosfwd>
#include <string>

#include "chapters/02_naive_loop/open_model.h"
#include "common/seams/causal_lm.h"

namespace llm {

// base: what a request's generation_config is laid over. template_choice: the value of --template.
// Returns the exit status: 1 if a line could not be answered.
int answer_json_lines(std::istream& in, std::ostream& out, const OpenModel& opened, CausalLM& model,
                      const GenerationConfig& base, const std::string& template_choice);

// The fields of a generation config that this chapter's loop knows.
std::span<const std::string_view> greedy_fields();

}  // namespace llm
