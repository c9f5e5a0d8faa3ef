// Runs a program and catches what it prints.
#pragma once

#include <string>
#include <vector>

namespace llm {

struct Run {
  int status = -1;  // the exit status; 128 + the signal's number after a crash
  std::string output;
  std::string errors;
};

// command: the program's path, then its arguments. input: what it reads from its standard input.
Run run_program(const std::vector<std::string>& command, const std::string& input = {});

}  // namespace llm
