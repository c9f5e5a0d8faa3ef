#include "tests/bad_input/run_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace llm {
namespace {

// A file that has no name any more: gone when it is closed.
int unnamed_file() {
  char name[] = "/tmp/next_token_run_XXXXXX";
  const int file = ::mkstemp(name);
  ::unlink(name);
  return file;
}

std::string content_of(int file) {
  std::string text;
  char buffer[4096];
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t count; (count = ::read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, count);
  ::close(file);
  return text;
}

}  // namespace

Run run_program(const std::vector<std::string>& command, const std::string& input) {
  const int in = unnamed_file(), out = unnamed_file(), errors = unnamed_file();
  if (::write(in, input.data(), input.size()) != static_cast<ssize_t>(input.size())) std::abort();
  ::lseek(in, 0, SEEK_SET);
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::execv(arguments[0], arguments.data());
    std::_Exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(in);
  Run run;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.output = content_of(out);
  run.errors = content_of(errors);
  return run;
}

}  // namespace llm
