// One generated text: its tokens, and when each of them came.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chapters/02_naive_loop/generator.h"
#include "chapters/02_naive_loop/token_printer.h"

namespace llm {

struct TextRun {
  std::vector<Token> new_tokens = {};
  std::vector<double> seconds = {};      // of each new token; the first is the prefill
  std::string finish_reason = "length";  // eos or length

  double prefill_s() const { return seconds.empty() ? 0 : seconds[0]; }
  double decode_s() const;  // all others
};

// Pulls all tokens out of the generator, times each, and prints it when it comes; an end token is kept, and
// not printed. eos_token_id: the tokens that end a text, as the generator knows them.
TextRun write_text(Generator<Token> tokens, std::span<const Token> eos_token_id, TokenPrinter& printer);

}  // namespace llm
