#include "chapters/02_naive_loop/token_printer.h"

#include <fmt/format.h>

#include <cstdio>

namespace llm {

void TokenPrinter::text(const std::string& piece) const {
  if (off_) return;
  std::fputs(piece.c_str(), stdout);
  std::fflush(stdout);
}

void TokenPrinter::token(Token id) { text(ids_ ? fmt::format(" {}", id) : decoder_.put(id)); }

void TokenPrinter::end() { text((ids_ ? "" : decoder_.end()) + "\n"); }

}  // namespace llm
