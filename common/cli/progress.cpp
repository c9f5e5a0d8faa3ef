#include "common/cli/progress.h"

#include <unistd.h>

#include <cstdio>
#include <memory>

#include "common/base/timing.h"
#include "common/cli/report.h"

namespace llm {
namespace {

constexpr int kBarWidth = 24;
constexpr double kRedrawSeconds = 0.05;
constexpr double kPatienceSeconds = 0.3;  // what is done sooner needs no bar

class ProgressBar {
 public:
  ProgressBar(std::string label, bool bytes) : label_(std::move(label)), bytes_(bytes) {}

  void operator()(Index done, Index total) {
    const double now = watch_.seconds();
    const bool finished = done >= total;
    if (finished && drawn_) std::fputs("\r\033[K", stderr);
    if (finished || now < kPatienceSeconds || now - last_drawn_ < kRedrawSeconds) return;
    last_drawn_ = now;
    drawn_ = true;
    const auto text = [this](Index count) { return bytes_ ? human_bytes(count) : human_count(count); };
    const int filled = static_cast<int>(done * kBarWidth / total);
    const std::string bar = std::string(static_cast<std::size_t>(filled), '=') +
                            std::string(static_cast<std::size_t>(kBarWidth - filled), ' ');
    std::fprintf(stderr, "\r\033[K%s  [%s]  %3d %%  %s of %s", label_.c_str(), bar.c_str(),
                 static_cast<int>(done * 100 / total), text(done).c_str(), text(total).c_str());
  }

 private:
  std::string label_;
  bool bytes_;
  Stopwatch watch_;
  double last_drawn_ = 0.0;
  bool drawn_ = false;
};

}  // namespace

Progress progress_bar(const std::string& label, bool quiet, bool bytes) {
  if (quiet || isatty(STDERR_FILENO) == 0) return {};
  return
      [bar = std::make_shared<ProgressBar>(label, bytes)](Index done, Index total) { (*bar)(done, total); };
}

}  // namespace llm
