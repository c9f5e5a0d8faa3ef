#include "common/cli/main.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "common/base/isa.h"
#include "common/text/utf8.h"

namespace llm {
namespace {

// One line, whatever a damaged file put into the message.
void print_error(const std::string& message) {
  std::string line = from_utf8_lossy(message);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  std::cout.flush();
  std::fprintf(stderr, "error: %s\n", line.c_str());
}

}  // namespace

int run_main(int argc, char** argv, int (*program)(int argc, char** argv)) {
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_DFL);
#endif
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);  // a file at the limit of its size: writing fails with a message instead
#endif
  try {
    active_isa();  // a wrong NT_ISA is noticed before anything is printed
    const int status = program(argc, argv);
    std::cout.flush();
    if (std::cout && std::fflush(stdout) == 0) return status;
    print_error("standard output: cannot be written (is the disk full?)");
  } catch (const std::bad_alloc&) {
    print_error("there is not enough memory for this");
  } catch (const std::exception& error) {
    print_error(error.what());
  } catch (...) {
    print_error("something unknown was thrown");
  }
  return 1;
}

}  // namespace llm
