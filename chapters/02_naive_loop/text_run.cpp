#include "chapters/02_naive_loop/text_run.h"

#include <algorithm>
#include <numeric>

#include "common/base/timing.h"

namespace llm {

double TextRun::decode_s() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) - prefill_s();
}

TextRun write_text(Generator<Token> tokens, std::span<const Token> eos_token_id, TokenPrinter& printer) {
  TextRun text;
  Stopwatch clock;
  for (const Token token : tokens) {
    text.seconds.push_back(clock.seconds());
    text.new_tokens.push_back(token);
    const bool end = std::ranges::count(eos_token_id, token) > 0;
    if (end) text.finish_reason = "eos";
    if (!end) printer.token(token);
    clock.reset();
  }
  printer.end();
  return text;
}

}  // namespace llm
