// 02_naive_loop --classify: the labels of the command line, their tokens, and the answer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/02_naive_loop/open_model.h"
#include "common/seams/causal_lm.h"

namespace llm {

struct Label {
  std::string text;
  std::vector<Token> tokens;
  bool fits = true;  // false: the prompt with the label behind it is cut into other tokens
};

// The labels of "yes,no": cut at the commas, blanks kept. A label's tokens are those that it adds to the
// prompt's, or where the two texts are not cut apart between them, those that it has alone. prompt: the text
// of the ids; empty where it is a conversation, whose labels stand alone.
// Errors: kUsage for fewer than two labels, an empty one, or two equal ones.
std::vector<Label> read_labels(std::string_view text, const Tokenizer& tokenizer, std::string_view prompt,
                               std::span<const Token> ids);

// Runs the model and prints the labels, the most probable one first: a table, or an object with --json on the
// standard output; what it took on the standard error. Returns the exit status.
int classify(const OpenModel& opened, CausalLM& model, const std::vector<Token>& ids,
             std::span<const Label> labels, bool json, bool quiet);

}  // namespace llm
