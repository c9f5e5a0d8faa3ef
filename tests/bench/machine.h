// Where a measurement was made, and what that machine could do while it was made.
#pragma once

#include <string>

#include "chapters/05_fused_cpu/machine_limits.h"
#include "common/cli/json_writer.h"

namespace llm {

// What stands beside every stored result.
struct MachineInfo {
  std::string cpu;       // "AMD EPYC ...", as the system calls it; "unknown" where it does not tell
  std::string system;    // "Linux x86_64"
  std::string compiler;  // "gcc 12.2.0"
  std::string flags;     // of the build
  std::string date;      // "2026-01-31", UTC
};
MachineInfo machine_info();

// From here on peak_resident_bytes() is the highest from here on, where the system can do that. Memory that
// was freed goes back to the system first. Returns what is resident now.
Index restart_peak_memory();

// "name": the median, "name_min", "name_max".
void write_samples(JsonWriter& json, const std::string& name, const Samples& samples);

}  // namespace llm
