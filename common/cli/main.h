// The frame of every program's main().
#pragma once

namespace llm {

// Calls program(argc, argv) and returns its exit status. Whatever it throws becomes one line on the standard
// error, "error: ...", and status 1. A reader that closes our output early (`... | head`) ends the program
// quietly.
int run_main(int argc, char** argv, int (*program)(int argc, char** argv));

}  // namespace llm
