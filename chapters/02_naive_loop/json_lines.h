// 02_naive_loop --jsonl: a request a line in, an answer a line out (common/cli/generate_request.h).
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/greedy.h"
#include "chapters/02_naive_loop/open_model.h"
#include "common/cli/generate_request.h"
#include "common/seams/causal_lm.h"

namespace llm {

// In what the programs differ: the fields that they know, and how they generate. rows: the real tokens of
// each row; limit: how many may follow.
struct JsonLinesLoop {
  GenerateProgram program;
  std::function<GreedyResult(const GenerateRequest& request, const GenerationConfig& config,
                             std::vector<std::vector<Token>> rows, Index limit)>
      generate;  // a prompt of several num_return_sequences has as many rows, one after the other

  // A line of another kind: one that has the field `marker`. `fields` are all that it may have.
  struct OtherLines {
    std::string_view marker = {};
    std::span<const std::string_view> fields = {};
    std::function<void(const JsonReader& request, JsonWriter& answer)> answer = {};
  };
  OtherLines other = {};
};

// base: what a request's generation_config is laid over. template_choice: the value of --template.
// Returns the exit status: 1 if a line could not be answered.
int answer_json_lines(std::istream& in, std::ostream& out, const OpenModel& opened, const JsonLinesLoop& loop,
                      const GenerationConfig& base, const std::string& template_choice);

// The same with this chapter's loop.
int answer_json_lines(std::istream& in, std::ostream& out, const OpenModel& opened, CausalLM& model,
                      const GenerationConfig& base, const std::string& template_choice);

// The fields of a generation config that this chapter's loop knows.
std::span<const std::string_view> greedy_fields();

}  // namespace llm
