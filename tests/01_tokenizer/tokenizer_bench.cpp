// Measures encoding on one thread: 01_tokenizer_bench MODEL FILE [REPEATS] [IDS]
// Prints {"load_s", "bytes", "tokens", "first_s", "seconds": [...]}: the first call starts with an empty word
// cache, the later ones find it filled, as in a running program. The file IDS gets the ids, one a line.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "chapters/01_tokenizer/tokenizer.h"
#include "common/base/error.h"
#include "common/base/timing.h"
#include "common/cli/main.h"

namespace llm {
namespace {

int program(int argc, char** argv) {
  if (argc < 3) fail(ErrorCode::kUsage, {.what = "usage: 01_tokenizer_bench MODEL FILE [REPEATS] [IDS]"});
  std::ifstream file(argv[2], std::ios::binary);
  if (!file) fail(ErrorCode::kMissing, {.where = argv[2], .what = "cannot be read"});
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 5;

  Stopwatch watch;
  const Tokenizer tokenizer = Tokenizer::load(argv[1]);
  const double load_s = watch.seconds();
  std::vector<Token> ids;
  std::vector<double> seconds;
  for (int i = 0; i <= repeats; ++i) {
    watch.reset();
    ids = tokenizer.encode(text, false);
    seconds.push_back(watch.seconds());
  }
  if (argc > 4) {
    std::ofstream out(argv[4]);
    for (const Token id : ids) out << id << "\n";
  }
  const double first_s = seconds.front();
  seconds.erase(seconds.begin());
  fmt::print(
      "{{\"load_s\": {:.4f}, \"bytes\": {}, \"tokens\": {}, \"first_s\": {:.4f}, "
      "\"seconds\": [{:.4f}]}}\n",
      load_s, text.size(), ids.size(), first_s, fmt::join(seconds, ", "));
  return 0;
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) { return llm::run_main(argc, argv, llm::program); }
