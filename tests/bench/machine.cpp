#include "tests/bench/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <chrono>
#include <fstream>

#include "common/base/timing.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace llm {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string system_name() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return fmt::format("{} {}", names.sysname, names.machine);
}

std::string compiler_name() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

MachineInfo machine_info() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {.cpu = cpu_name(),
          .system = system_name(),
          .compiler = compiler_name(),
          .flags = LLM_BUILD_FLAGS,
          .date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(now))};
}

Index restart_peak_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  std::ofstream("/proc/self/clear_refs") << "5";  // Linux: sets the highest to what is resident now
  return resident_bytes();
}

void write_samples(JsonWriter& json, const std::string& name, const Samples& samples) {
  json.field(name, samples.median()).field(name + "_min", samples.min()).field(name + "_max", samples.max());
}

}  // namespace llm
