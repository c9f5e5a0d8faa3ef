#include "chapters/02_naive_loop/token_printer.h"

#include <fmt/format.h>

#include <cstdio>

namespace llm {

TokenPrinter::~TokenPrinter() {
  if (in_line_) std::fputs("\n", stdout);
}

void TokenPrinter::text(const std::string& piece) {
  if (off_ || piece.empty()) return;
  std::fputs(piece.c_str(), stdout);
  std::fflush(stdout);
  in_line_ = piece.back() != '\n';
}

void TokenPrinter::token(Token id) { text(ids_ ? fmt::format(" {}", id) : decoder_.put(id)); }

void TokenPrinter::end() { text((ids_ ? "" : decoder_.end()) + "\n"); }

}  // namespace llm
