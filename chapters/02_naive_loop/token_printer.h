// Text on the standard output while it comes into being.
#pragma once

#include <string>

#include "chapters/01_tokenizer/streaming_decoder.h"
#include "chapters/02_naive_loop/open_model.h"

namespace llm {

// Text as it comes; ids where the weights are random and there is no text.
class TokenPrinter {
 public:
  TokenPrinter(const OpenModel& opened, bool quiet)
      : decoder_(*opened.tokenizer), ids_(opened.random), off_(quiet) {}
  TokenPrinter(const TokenPrinter&) = delete;
  TokenPrinter& operator=(const TokenPrinter&) = delete;
  ~TokenPrinter();  // after an error the message begins a line of its own
  void text(const std::string& piece);
  void token(Token id);
  void end();  // what is left, and the end of the line

 private:
  StreamingDecoder decoder_;
  bool ids_, off_;
  bool in_line_ = false;  // what was printed last is no end of a line
};

}  // namespace llm
