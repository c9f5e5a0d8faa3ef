#include "common/base/timing.h"

#include <sys/resource.h>

#include <fstream>
#include <string>

namespace llm {
namespace {

// The value in bytes of a "Name:   1234 kB" line of Linux's /proc/self/status; 0 if there is none.
Index status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    Index kilobytes = 0;
    if (word == name && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

Index resident_bytes() { return status_bytes("VmRSS:"); }

Index peak_resident_bytes() {
  if (const Index bytes = status_bytes("VmHWM:")) return bytes;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
  return usage.ru_maxrss;
#else
  return usage.ru_maxrss * 1024;
#endif
}

}  // namespace llm
